"""The context windows of well-known models, by the beginning of their names.

Makers state them for whole families, so the longest beginning that fits decides. A name may have
the provider in front, as gateways write it: ``openai/gpt-4o``. Where sizes of one family differ,
the smallest is taken: a prompt that is too long fails, one that is shorter works.
"""

from __future__ import annotations

from functools import lru_cache

_K = 1024
_WINDOWS = {
    # OpenAI
    "gpt-3.5": 16_385,
    "gpt-4": 8_192,
    "gpt-4-32k": 32_768,
    "gpt-4-turbo": 128_000,
    "gpt-4-1106": 128_000,
    "gpt-4-0125": 128_000,
    "gpt-4o": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4.5": 128_000,
    "gpt-5": 400_000,
    "gpt-oss": 131_072,
    "o1": 200_000,
    "o1-mini": 128_000,
    "o1-preview": 128_000,
    "o3": 200_000,
    "o4": 200_000,
    # Anthropic
    "claude": 200_000,
    "claude-instant": 100_000,
    "claude-2.0": 100_000,
    # Google
    "gemini": 1_048_576,
    "gemini-1.0": 32_760,
    "gemini-pro": 32_760,
    "gemma": 8_192,
    "gemma3": 128 * _K,
    "gemma-3": 128 * _K,
    # Alibaba
    "qwen": 32_768,
    "qwen-turbo": 131_072,
    "qwen-plus": 131_072,
    "qwen-long": 1_000_000,
    "qwen-max": 32_768,
    "qwen3": 40_960,
    "qwen3-max": 262_144,
    "qwq": 131_072,
    # DeepSeek, Moonshot, Zhipu, others
    "deepseek": 65_536,
    "deepseek-v3.1": 131_072,
    "deepseek-v3.2": 131_072,
    "kimi-k2": 131_072,
    "moonshot-v1-8k": 8_192,
    "moonshot-v1-32k": 32_768,
    "moonshot-v1-128k": 131_072,
    "glm-4": 128_000,
    "glm-4.6": 200_000,
    "yi": 4_096,
    "llama2": 4_096,
    "llama-2": 4_096,
    "llama3": 8_192,
    "llama-3": 8_192,
    "llama3.1": 131_072,
    "llama-3.1": 131_072,
    "llama3.2": 131_072,
    "llama-3.2": 131_072,
    "llama3.3": 131_072,
    "llama-3.3": 131_072,
    "mistral": 32_768,
    "mistral-large": 128_000,
    "mistral-nemo": 128_000,
    "mixtral": 32_768,
    "phi-3": 4_096,
    "phi3": 4_096,
    "phi4": 16_384,
    "phi-4": 16_384,
    "grok": 131_072,
    "grok-4": 256_000,
    "command-r": 128_000,
}
_ENDS = "-.:_@"  # what may follow the name of a family


@lru_cache(maxsize=64)
def known_window(model: str) -> int | None:
    """The window of a well-known model, in tokens; None for any other."""
    name = model.lower().rpartition("/")[2]
    fits = [family for family in _WINDOWS if _is_of(name, family)]
    return _WINDOWS[max(fits, key=len)] if fits else None


def _is_of(name: str, family: str) -> bool:
    rest = name.removeprefix(family)
    return name.startswith(family) and (not rest or rest[0] in _ENDS or rest[0].isdigit())
