import { from } from './promised.ts'

/** What standing in front of MCP servers adds. */
export const COUNTERSIGN_MCP = from('Countersign', {
  'CS-MCP-1': {
    area: 'servers',
    says: 'One server behind `countersign mcp` keeps its name and the names of its tools.',
  },
  'CS-MCP-2': {
    area: 'servers',
    says: 'Every tool of a server gives the same results and errors behind us as without us, and its progress is passed on.',
  },
  'CS-MCP-3': {
    area: 'servers',
    says: 'Prompts, resources and completions pass through unchanged, and so do a server’s own questions to the client but for the name of the server before them.',
  },
  'CS-MCP-4': {
    area: 'servers',
    says: 'Several servers of the policy work behind one `countersign mcp`, each with its own names.',
  },
  'CS-MCP-5': {
    area: 'servers',
    says: 'A question may be answered inside the client where it can show one, and the record says that it was.',
  },
  'CS-MCP-6': {
    area: 'servers',
    says: 'An answer from the client within 700 milliseconds does not count, because no person reads that fast; the question stays in the inbox.',
  },
  'CS-MCP-33': {
    area: 'servers',
    says: 'A question in the client shows every argument whole, on lines that no client cuts, and its answer is chosen in a required field; what does not fit is not asked there.',
  },
  'CS-MCP-34': {
    area: 'servers',
    says: 'A question that is closed in the client without an answer stays open in the inbox; where there is none it is withdrawn.',
  },
  'CS-MCP-35': {
    area: 'servers',
    says: 'A client that opens addresses is sent to the card in the inbox: the address itself signs in no one, and deciding there takes a sign-in.',
  },
  'CS-MCP-37': {
    area: 'locks',
    says: 'Under a lock a server’s resources, prompts and completions are refused with the lock’s name, nothing it says reaches a client, and a subscription can still be ended.',
  },
  'CS-MCP-38': {
    area: 'servers',
    says: 'A policy can deny the resources and prompts of a server; every request for them is a line of the log and counted, whether it passed or not.',
  },
  'CS-MCP-39': {
    area: 'servers',
    says: '`countersign mcp` writes the address of the inbox where clients keep its output, and no link that signs in.',
  },
  'CS-MCP-40': {
    area: 'locks',
    says: 'Revoking a token ends its sessions: its streams are closed, what waits is withdrawn, and a yes that comes later runs nothing.',
  },
  'CS-MCP-41': {
    area: 'servers',
    says: 'A request that cannot be read is answered under its own id wherever the id can be, so that no client waits for an answer that never comes.',
  },
  'CS-MCP-42': {
    area: 'secrets',
    says: 'Of a server’s environment and headers only what a name marks as a secret is hidden in its results, and nothing else of them is changed.',
  },
  'CS-MCP-43': {
    area: 'servers',
    says: 'One of several servers that hangs while it starts or lists delays the others by seconds at most; its tools are listed, and clients are told, as soon as it comes.',
  },
  'CS-MCP-44': {
    area: 'servers',
    says: 'A server that does not start or cannot list its tools is an error where it is the only one; of several, instructions, list and `countersign_status` name it and say why.',
  },
  'CS-MCP-45': {
    area: 'answers',
    says: 'A yes to a pending call of `countersign mcp` outlives its process: the next one of the same agent, person, folder, servers and settings uses it, once and for exactly that call.',
  },
  'CS-MCP-53': {
    area: 'answers',
    says: 'A yes to a pending call at `/mcp` outlives its session and a restart: the next session of the same token, servers and settings uses it, once and for exactly that call.',
  },
  'CS-MCP-52': {
    area: 'servers',
    says: 'A resource that several servers of a session serve is read from none of them: the request is refused with the names of both.',
  },
  'CS-MCP-46': {
    area: 'servers',
    says: 'Requests of protocol 2026-07-28 over HTTP need the headers that name their version, method and target, and the client’s capabilities; methods of the older era are unknown there.',
  },
  'CS-MCP-54': {
    area: 'servers',
    says: 'A 2026-07-28 call whose `Mcp-Param-*` headers differ from its arguments is refused before asking or sending; servers that declare such headers get them from the arguments sent.',
  },
  'CS-MCP-55': {
    area: 'servers',
    says: 'A tool that declares a header which cannot be sent safely is left out of the list; the other tools of its server stay.',
  },
  'CS-MCP-56': {
    area: 'servers',
    says: 'A server’s question in protocol 2026-07-28 reaches the client under the server’s own key; its answer counts once, for the call it was asked about, and is never a yes to that call.',
  },
  'CS-MCP-57': {
    area: 'servers',
    says: 'A client of protocol 2026-07-28 is never asked for what it did not declare: the call ends with the capability that is missing.',
  },
  'CS-MCP-47': {
    area: 'outcomes',
    says: 'An invalid response from a server ends its call as `unknown` at once; the gateway does not wait for another one.',
  },
  'CS-MCP-48': {
    area: 'servers',
    says: 'Tools that `allowed_tools` leaves out are not listed to clients, and refused when they are called.',
  },
  'CS-MCP-49': {
    area: 'server',
    says: 'A request without a token, or with one that does not count, is told by `WWW-Authenticate` that it takes one.',
  },
  'CS-MCP-36': {
    area: 'servers',
    says: 'A server’s own question to the user names the server first, so that it cannot pass for one of ours.',
  },
  'CS-MCP-7': {
    area: 'servers',
    says: 'A question that other people must answer is never put to the client.',
  },
  'CS-MCP-8': {
    area: 'servers',
    says: 'A call that waits longer than a client does is answered as pending, and the same call later joins it and runs once.',
  },
  'CS-MCP-9': {
    area: 'servers',
    says: 'A client that cancels takes its question back; one that ran out of time finds it again.',
  },
  'CS-MCP-10': {
    area: 'servers',
    says: 'At `/mcp` all servers of the policy are one, and their tools are called `<alias>_<tool>`.',
  },
  'CS-MCP-11': {
    area: 'servers',
    says: 'A server that cannot be reached takes none of the others with it.',
  },
  'CS-MCP-12': {
    area: 'servers',
    says: 'Clients and servers of protocol 2026-07-28 alone work as those before do, and a call still runs once.',
  },
  'CS-MCP-13': {
    area: 'servers',
    says: 'The state a waiting request carries counts once, for its own call and its own client.',
  },
  'CS-MCP-14': {
    area: 'servers',
    says: 'However many clients call at once, no answer reaches another client.',
  },
  'CS-MCP-15': {
    area: 'servers',
    says: 'Credentials and headers of a client are never handed on to a server.',
  },
  'CS-MCP-16': {
    area: 'servers',
    says: 'Requests whose header and body differ, batches, doubled or unknown keys and foreign sessions are refused before anything runs.',
  },
  'CS-MCP-17': {
    area: 'servers',
    says: '`gateServer` puts a gate before the tools of your own MCP server, with either major version of the SDK.',
  },
  'CS-MCP-18': {
    area: 'proof',
    says: 'A gateway proves to a server with a gate of its own that people said yes, for that server and that call only.',
  },
  'CS-MCP-19': {
    area: 'servers',
    says: 'A server that crashes, hangs, writes garbage or sends too much harms its own calls only.',
  },
  'CS-MCP-20': {
    area: 'servers',
    says: 'A tool whose definition changes after it was first seen is not offered and not run until a person accepts the change.',
  },
  'CS-MCP-21': {
    area: 'servers',
    says: 'Only the very change that was shown can be accepted.',
  },
  'CS-MCP-22': {
    area: 'servers',
    says: 'A question about a tool that changes meanwhile is void, and no grant runs a tool that changed since.',
  },
  'CS-MCP-23': {
    area: 'servers',
    says: 'A server’s name or answer never leads to an address inside a network: only this machine is reached as written, and other hosts once the operator allowed them.',
  },
  'CS-MCP-24': {
    area: 'answers',
    says: 'A call whose server crashed, hung up or was left after the call was sent is written down as `unknown` and not sent again; one that was never sent, as not started.',
  },
  'CS-MCP-25': {
    area: 'servers',
    says: 'A client that goes away in the middle of a call takes nothing of other clients with it, and what became of its call is on record.',
  },
  'CS-MCP-26': {
    area: 'servers',
    says: 'When the process that serves the inbox dies, another one on the same database serves it within seconds.',
  },
  'CS-MCP-27': {
    area: 'servers',
    says: 'The official conformance suite of the protocol passes against `/mcp` and against what speaks to servers, except where the docs say why.',
  },
  'CS-MCP-28': {
    area: 'servers',
    says: '`countersign tools` shows what each tool of a server is and what changed about it, and accepts a change when a person types the end of its digest.',
  },
  'CS-RISK-1': {
    area: 'servers',
    says: "A foreign tool that looks dangerous by its name, arguments or its server's word is marked so on its card; looks never make a call seem safer, and no rule goes by them.",
  },
  'CS-MCP-29': {
    area: 'servers',
    says: 'A call that needs no approval takes a fast path: it is serialized again and forwarded at once, with the same outcome as on the full path.',
  },
  'CS-MCP-30': {
    area: 'servers',
    says: 'What a server asks its user while a call runs reaches the client that made the call, however many share a credential; a question that matches no single call is not forwarded.',
  },
  'CS-MCP-31': {
    area: 'answers',
    says: 'For clients of protocol 2026-07-28 a no stands until they have made no request for 30 minutes; what still waits for an answer, or for its use, is found however late.',
  },
  'CS-MCP-50': {
    area: 'servers',
    says: 'No token holds every process of a server: some are kept for others, idle sessions above their share end first, and a call that was sent is never ended for it.',
  },
  'CS-MCP-51': {
    area: 'servers',
    says: 'Streams and open requests are bounded for each session and each token at `/mcp`; one more is refused with 429, and none that is open is cut.',
  },
  'CS-MCP-32': {
    area: 'servers',
    says: 'A server that is a process runs once per client, up to the operator’s limit; a client beyond it is told that the server is busy, and idle sessions make room.',
  },
  'CS-MCP-58': {
    area: 'servers',
    says: 'A server that speaks only HTTP+SSE works by its `url`; its messages go to no other origin than that of the address in the file.',
  },
  'CS-MCP-59': {
    area: 'servers',
    says: 'A single server that is slow to start delays `initialize` by seconds at most; the list of tools waits for it.',
  },
  'CS-MCP-77': {
    area: 'servers',
    says: 'Where `resources` or `prompts` of a server is `confirm` or `review`, each read is an approval like a call’s; without a yes the client gets an error and nothing reaches the server.',
  },
  'CS-MCP-78': {
    area: 'servers',
    says: 'A completion of something that asks is refused, because it cannot wait for people; a yes to read from one server is none for another.',
  },
  'CS-MCP-79': {
    area: 'servers',
    says: 'Reads ask where the server declares effects and the file does not say `allow`, or where governance asks about them; a declaration never lowers anything.',
  },
  'CS-MCPAPP-1': {
    area: 'questions',
    says: 'A client that declares MCP Apps finds the card of a waiting call by the tools that look at it, with how it stands and where people decide; nothing in it decides.',
  },
  'CS-MCPAPP-2': {
    area: 'questions',
    says: 'A client that does not declare MCP Apps gets no card; no agent gets that of another, and no server puts a page of its own in its place.',
  },
  'CS-MCPAPP-3': {
    area: 'questions',
    says: 'The card in an MCP client shows whatever a call holds as text, runs nothing of it, and opens only web addresses, by asking the client.',
  },
})
