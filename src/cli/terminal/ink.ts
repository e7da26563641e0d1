/**
 * What the inbox in a terminal draws with. The build puts both packages into this one file: they
 * would double an install, and a React of our own must never meet the one of an application.
 */
export { Box, render, Text, useApp, useInput } from 'ink'
export { createElement, useEffect, useReducer } from 'react'
