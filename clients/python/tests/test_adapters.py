"""Adapters: against stand-ins everywhere, against the packages where they are installed."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from types import SimpleNamespace
from typing import Any

from countersign import AsyncGate
from countersign.adapters import crewai, openai_agents

from . import standins
from .paying import PAY
from .support import Case, eventually

FRAMEWORKS = ("langgraph", "pydantic_ai", "agents", "crewai")
INSTALLED = {name for name in FRAMEWORKS if importlib.util.find_spec(name) is not None}
standins.install()

DENIED = r"was denied by a person and did not run"


class LangGraph(Case):
    def setUp(self) -> None:
        if "langgraph" in INSTALLED:
            self.skipTest("langgraph is installed; RealPackages has it")
        self.runs: list[Any] = []

    def request(self, key: str = "call-1") -> Any:
        config = {"configurable": {"thread_id": f"thread-{self.id()}"}}
        call = {"name": "pay", "args": dict(PAY), "id": key, "type": "tool_call"}
        return standins.ToolCallRequest(call, SimpleNamespace(config=config))

    def execute(self, request: Any) -> Any:
        self.runs.append(request.tool_call["args"])
        return standins.ToolMessage(f"paid {request.tool_call['args']['amount']}", "call-1", "pay")

    def test_a_call_that_blocks(self) -> None:
        from countersign.adapters.langgraph import tool_calls

        wrap = tool_calls(self.gate())
        running = self.later(lambda: wrap(self.request(), self.execute))
        self.server.decide(edit={"arguments": {"amount": 300, "to": "Lena"}})
        message = running.result()
        self.assertRegex(message.content, r"^paid 300\n\n.*amount is now 300")
        # The node runs again, and the tool does not.
        again = wrap(self.request(), self.execute)
        self.assertRegex(again.content, r"^paid 300\n\n.*amount is now 300")
        self.assertEqual((again.status, self.runs), ("success", [{"amount": 300, "to": "Lena"}]))

    def test_a_call_that_pauses_the_graph(self) -> None:
        from countersign.adapters.langgraph import tool_calls

        wrap = tool_calls(self.gate(), pause=True)
        with self.assertRaises(standins.GraphInterrupt) as paused:
            wrap(self.request(), self.execute)
        self.assertEqual(paused.exception.args[0]["tool"], "pay")
        # A forged value wakes it, and it pauses again.
        standins.resumed.append({"approved": True})
        with self.assertRaises(standins.GraphInterrupt):
            wrap(self.request(), self.execute)
        self.assertEqual(self.runs, [])
        self.server.decide()
        self.assertEqual(wrap(self.request(), self.execute).content, "paid 500")

    def test_a_call_that_ran_is_no_error_where_its_result_was_a_command(self) -> None:
        from countersign.adapters.langgraph import tool_calls

        wrap, command = tool_calls(self.gate()), object()
        running = self.later(lambda: wrap(self.request("call-4"), lambda _: command))
        self.server.decide()
        self.assertIs(running.result(), command)
        again = wrap(self.request("call-4"), self.execute)
        self.assertEqual(again.status, "success")
        self.assertIn("The call ran", again.content)
        self.assertEqual(self.runs, [])

    def test_refused_and_failing_calls_are_errors_for_the_model(self) -> None:
        from countersign.adapters.langgraph import async_tool_calls

        wrap = async_tool_calls(self.gate())

        async def broken(request: Any) -> Any:
            return standins.ToolMessage("no money", "call-2", "pay", status="error")

        running = self.later(lambda: asyncio.run(wrap(self.request("call-2"), broken)))  # type: ignore[arg-type]
        approval_id = self.server.decide()
        self.assertEqual(running.result().content, "no money")
        self.assertEqual(self.gate().look(approval_id).execution, "failed")
        running = self.later(lambda: asyncio.run(wrap(self.request("call-3"), broken)))  # type: ignore[arg-type]
        self.server.decide("deny")
        message = running.result()
        self.assertEqual(message.status, "error")
        self.assertRegex(message.content, DENIED)


class PydanticAI(Case):
    def setUp(self) -> None:
        if "pydantic_ai" in INSTALLED:
            self.skipTest("pydantic_ai is installed; RealPackages has it")

    def test_a_toolset(self) -> None:
        from countersign.adapters.pydantic_ai import GuardedToolset

        runs: list[Any] = []

        class Inner:
            async def call_tool(self, name: str, args: Any, ctx: Any, tool: Any) -> str:
                runs.append(args)
                return f"paid {args['amount']}"

        class Validator:
            def validate_python(self, args: Any) -> Any:
                return {**args, "validated": True}

        gate = AsyncGate(self.server.url, self.server.token(), announce=False)
        toolset = GuardedToolset(Inner(), gate)
        tool = SimpleNamespace(args_validator=Validator())

        def call(key: str) -> Any:
            ctx = SimpleNamespace(tool_call_id=key, run_id="pydantic")
            return self.later(lambda: asyncio.run(toolset.call_tool("pay", PAY, ctx, tool)))

        running = call("1")
        self.server.decide(edit={"arguments": {"amount": 300, "to": "Lena"}})
        self.assertIn("amount is now 300", running.result())
        self.assertEqual(runs, [{"amount": 300, "to": "Lena", "validated": True}])
        running = call("2")
        self.server.decide("deny")
        self.assertRegex(running.result(), DENIED)
        self.assertEqual(call("1").result().partition("\n")[0], "paid 300")
        self.assertEqual(len(runs), 1)

    def test_a_toolset_runs_nothing_but_what_was_approved(self) -> None:
        from countersign.adapters.pydantic_ai import GuardedToolset

        runs: list[Any] = []

        class Inner:
            async def call_tool(self, name: str, args: Any, ctx: Any, tool: Any) -> None:
                runs.append(args)

        class Validator:
            def validate_python(self, args: Any) -> Any:
                raise ValueError("the amount is odd")

        gate = AsyncGate(self.server.url, self.server.token(), announce=False)
        toolset = GuardedToolset(Inner(), gate)
        tool = SimpleNamespace(args_validator=Validator())

        def call(key: str, args: Any) -> Any:
            ctx = SimpleNamespace(tool_call_id=key, run_id="pydantic-other")
            return self.later(lambda: asyncio.run(toolset.call_tool("pay", args, ctx, tool)))

        args: dict[str, Any] = {**PAY}
        running = call("1", args)
        eventually(self.server.approvals, "nothing was asked")
        args["amount"] = 9_000
        self.server.decide()
        self.assertIn("could not be started and did not run", running.result())
        running = call("2", {**PAY})
        self.server.decide(edit={"arguments": {"amount": 301, "to": "Lena"}})
        self.assertIn("could not be started and did not run", running.result())
        self.assertEqual(runs, [])


class OpenAIAgents(Case):
    def test_a_function_tool(self) -> None:
        runs: list[str] = []

        async def invoke(context: Any, arguments: str) -> str:
            runs.append(arguments)
            return "paid"

        tool = standins.FunctionTool("pay", "Pays.", {}, invoke)
        guarded = openai_agents.guard_tool(self.gate(), tool, run="openai")

        def call(key: str, arguments: str) -> Any:
            context = SimpleNamespace(tool_call_id=key)
            return self.later(lambda: asyncio.run(guarded.on_invoke_tool(context, arguments)))

        running = call("1", json.dumps(PAY))
        self.server.decide()
        self.assertEqual((running.result(), runs), ("paid", ['{"amount":500,"to":"Lena"}']))
        self.assertEqual((call("1", json.dumps(PAY)).result(), len(runs)), ("paid", 1))
        running = call("2", json.dumps(PAY))
        self.server.decide("deny")
        self.assertRegex(running.result(), DENIED)
        for arguments in ('{"amount":5,"amount":900}', "[1]", "{", '{"amount":1e999}'):
            self.assertIn("was not understood and did not run", call("3", arguments).result())
        self.assertEqual((len(runs), tool.on_invoke_tool), (1, invoke))


class CrewAI(Case):
    def test_a_tool(self) -> None:
        runs: list[Any] = []

        class Pay(standins.BaseTool):
            def _run(self, **args: Any) -> str:
                runs.append(args)
                return "paid"

            async def _arun(self, **args: Any) -> str:
                return self._run(**args)

        original = Pay()
        guarded = crewai.guard_tool(self.gate(), original, run="crew")
        running = self.later(lambda: guarded.run(amount=900, to="Mallory"))
        self.server.decide("deny")
        self.assertRegex(running.result(), DENIED)
        self.assertEqual(runs, [])
        for call in (lambda: guarded.run(**PAY), lambda: asyncio.run(guarded.arun(**PAY))):
            running = self.later(call)
            self.server.decide()
            self.assertEqual(running.result(), "paid")
        self.assertEqual(runs, [PAY, PAY])
        self.assertEqual(original.run(amount=1), "paid")

    def test_a_tool_that_raises(self) -> None:
        class Broken(standins.BaseTool):
            name = "read"

            def _run(self, **args: Any) -> str:
                raise ValueError("no money")

        with self.assertRaisesRegex(ValueError, "no money"):
            crewai.guard_tool(self.gate(), Broken()).run(path="a")


class RealPackages(Case):
    """The same with the packages themselves, where they are installed."""

    def needs(self, name: str) -> None:
        if name not in INSTALLED:
            self.skipTest(f"{name} is not installed")

    def test_langgraph(self) -> None:
        self.needs("langgraph")
        from langchain_core.messages import AIMessage
        from langchain_core.tools import tool
        from langgraph.prebuilt import ToolNode

        from countersign.adapters.langgraph import tool_calls

        @tool
        def pay(amount: int, to: str) -> str:
            """Pays."""
            return f"paid {amount}"

        node = ToolNode([pay], wrap_tool_call=tool_calls(self.gate(), run="real"))
        call = {"name": "pay", "args": dict(PAY), "id": "1", "type": "tool_call"}
        asked = {"messages": [AIMessage("", tool_calls=[call])]}
        running = self.later(lambda: node.invoke(asked))
        self.server.decide()
        self.assertEqual(running.result()["messages"][0].content, "paid 500")

    def test_pydantic_ai(self) -> None:
        self.needs("pydantic_ai")
        from pydantic_ai import Agent
        from pydantic_ai.models.test import TestModel
        from pydantic_ai.toolsets import FunctionToolset

        from countersign.adapters.pydantic_ai import GuardedToolset

        def note(text: str) -> str:
            """Notes."""
            return f"noted {text}"

        guarded = GuardedToolset(FunctionToolset([note]), self.gate())
        agent = Agent(TestModel(), toolsets=[guarded])
        running = self.later(lambda: agent.run_sync("Note it."))
        self.server.decide()
        self.assertIn("noted", running.result().output)

    def test_openai_agents(self) -> None:
        self.needs("agents")
        from agents import function_tool

        @function_tool
        def note(text: str) -> str:
            """Notes."""
            return f"noted {text}"

        guarded = openai_agents.guard_tool(self.gate(), note, run="real-agents")
        from agents.tool_context import ToolContext

        arguments = '{"text":"a"}'
        context = ToolContext(
            None, tool_name="note", tool_call_id="1", tool_arguments=arguments
        )
        running = self.later(lambda: asyncio.run(guarded.on_invoke_tool(context, arguments)))
        self.server.decide()
        self.assertEqual(running.result(), "noted a")

    def test_crewai(self) -> None:
        self.needs("crewai")
        from crewai.tools import BaseTool

        class Note(BaseTool):
            name: str = "note"
            description: str = "Notes."

            def _run(self, text: str) -> str:
                return f"noted {text}"

        guarded = crewai.guard_tool(self.gate(), Note(), run="real-crew")
        running = self.later(lambda: guarded.run(text="a"))
        self.server.decide()
        self.assertEqual(running.result(), "noted a")
