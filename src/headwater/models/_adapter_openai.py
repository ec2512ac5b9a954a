"""Chat completions of servers that are like OpenAI's: Ollama, llama.cpp, vLLM, DeepSeek and any other."""

from __future__ import annotations

import json
from typing import Any

from openai import AsyncOpenAI
from openai.types import chat
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider


class TolerantModel(OpenAIChatModel):
    """Takes what such servers get wrong: arguments of tools as an object (llama.cpp's server, issue 20198)."""

    @classmethod
    def of(cls, provider: str, name: str, client: AsyncOpenAI) -> TolerantModel:
        """Return the model of that name; what its family can do is as the library knows it.

        They are sent `max_tokens`, which OpenAI has renamed: some do not know the new name and pass over it in silence.
        """
        profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
        if provider == "ollama" and name.endswith("-cloud"):
            profile["supports_json_schema_output"] = False  # taken and not kept to (ollama, issue 12362)
        return cls(name, provider=_provider(provider, client), profile=profile)

    def _validate_completion(self, response: chat.ChatCompletion) -> Any:
        """Write arguments that are an object as the text they should be; a hook that the library has for this."""
        for choice in response.choices or ():
            for call in getattr(choice.message, "tool_calls", None) or ():
                function = getattr(call, "function", None)
                if function is not None and isinstance(function.arguments, dict):
                    function.arguments = json.dumps(function.arguments)
        return super()._validate_completion(response)


def _provider(name: str, client: AsyncOpenAI) -> Provider[AsyncOpenAI]:
    if name == "ollama":
        from pydantic_ai.providers.ollama import OllamaProvider

        return OllamaProvider(openai_client=client)
    if name == "vllm":
        from pydantic_ai.providers.vllm import VLLMProvider

        return VLLMProvider(openai_client=client)
    if name == "deepseek":
        from pydantic_ai.providers.deepseek import DeepSeekProvider

        return DeepSeekProvider(openai_client=client)
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    return OpenAICompatibleProvider(f"{name}-compatible", openai_client=client)
