"""An agent's loop with asyncio: context before the answer, the turn after it, a person's word."""

from __future__ import annotations

import asyncio

import mnemic


async def answer(prompt: str, message: str) -> str:
    """In the place of a model: says how much of the prompt was memory."""
    return f"(answered {message!r} with {len(prompt)} characters of memory)"


async def main() -> None:
    async with await mnemic.open_async("async_agent.db", worker="none") as mind:
        for day, message in enumerate(("My cat is called Tofu.", "What is my cat called?")):
            async with await mind.session(f"day {day}") as talk:
                prompt = (await mind.context(message, session=talk.id, budget=400)).text
                await talk.user(message)
                await talk.assistant(await answer(prompt, message))
            await mind.drain()
            print(prompt or "(nothing is known yet)")
        for memory in await mind.pending(offer=True):
            print("to confirm:", memory.text)


asyncio.run(main())
