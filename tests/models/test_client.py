"""The client over real HTTP against a scripted server."""

from __future__ import annotations

import json
import threading
import time
from email.utils import formatdate

import pytest
from tests.models.scripted import Reply, calls, completion, error, serve, text

from headwater.errors import LimitError, SetupError, UsageError
from headwater.models import (
    CachedModel,
    ChatRequest,
    ClientOptions,
    Message,
    ModelError,
    OpenAIModel,
    Price,
    RateLimiter,
    ReplyCache,
    Tool,
    Usage,
    open_model,
    price_of,
)  # fmt: skip

KEY = "sk-very-secret-key"
HELLO = ChatRequest((Message("system", "s"), Message("user", "hello")), max_tokens=100)
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}


def client(url, waits=None, **more):
    more.setdefault("options", ClientOptions(timeout=5.0, retries=3))
    sleep = (lambda _: None) if waits is None else waits.append
    return OpenAIModel("openai", "tester", url, KEY, sleep=sleep, **more)


def test_request_and_reply():
    with serve([text("hi", tokens=(12, 3))]) as server:
        reply = client(server.url, price=Price(1.0, 2.0)).complete(HELLO)
    assert (reply.text, reply.finish, reply.model) == ("hi", "stop", "scripted")
    assert reply.usage.input_tokens == 12
    assert reply.usage.usd == pytest.approx((12 * 1.0 + 3 * 2.0) / 1e6)
    sent = server.requests[0]
    assert sent["messages"] == [{"role": "system", "content": "s"}, {"role": "user", "content": "hello"}]
    assert (sent["temperature"], sent["max_tokens"], sent["model"]) == (0.0, 100, "tester")
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_unknown_price_and_tokens_are_null_and_stay_so_in_sums():
    with serve([text("hi"), text("hi", tokens=None)]) as server:
        model = client(server.url)
        first, second = model.complete(HELLO).usage, model.complete(HELLO).usage
    assert first.usd is None
    assert second.input_tokens is None
    assert (first + second).input_tokens is None
    assert (first + second).calls == 2
    assert Usage() + Usage(1, 2, 3, 0.5) == Usage(1, 2, 3, 0.5)


class TestRetries:
    def test_429_honours_retry_after(self):
        waits = []
        with serve([error(429, retry_after="7"), text("ok")]) as server:
            assert client(server.url, waits).complete(HELLO).text == "ok"
        assert 7 <= waits[0] <= 7.25

    def test_retry_after_as_a_date(self):
        waits = []
        with serve([error(503, retry_after=formatdate(time.time() + 30, usegmt=True)), text("ok")]) as server:
            client(server.url, waits).complete(HELLO)
        assert 25 <= waits[0] <= 31

    def test_waits_grow_with_jitter(self):
        waits = []
        with serve([error(500), error(502), error(504), text("ok")]) as server:
            client(server.url, waits).complete(HELLO)
        assert all(0.25 * 2**i <= wait <= 0.5 * 2**i for i, wait in enumerate(waits))
        assert len(waits) == 3

    def test_gives_up_and_says_why(self):
        with (
            serve([error(500, "overloaded")]) as server,
            pytest.raises(ModelError, match="4 times.*overloaded"),
        ):
            client(server.url).complete(HELLO)
        assert len(server.requests) == 4

    @pytest.mark.parametrize("status", [400, 413, 422])
    def test_other_refusals_are_not_repeated(self, status):
        with serve([error(status, "bad request")]) as server, pytest.raises(ModelError, match="bad request"):
            client(server.url).complete(HELLO)
        assert len(server.requests) == 1

    @pytest.mark.parametrize("status", [401, 403, 404])
    def test_set_up_problems_end_it(self, status):
        with serve([error(status)]) as server, pytest.raises(SetupError):
            client(server.url).complete(HELLO)

    def test_hanging_server(self):
        quick = ClientOptions(timeout=0.2, retries=1)
        with serve([Reply(hang=30), text("ok")]) as server:
            assert client(server.url, options=quick).complete(HELLO).text == "ok"

    def test_dripping_server_meets_the_same_time_out(self):
        dripping = text("x" * 200)
        dripping.drip = 0.05
        with serve([dripping]) as server, pytest.raises(ModelError, match="in time"):
            client(server.url, options=ClientOptions(timeout=0.3, retries=0)).complete(HELLO)

    def test_cut_connection(self):
        half = text("hello")
        half.cut = True
        with serve([half, text("whole")]) as server:
            assert client(server.url).complete(HELLO).text == "whole"

    def test_nobody_listens(self):
        with pytest.raises(ModelError, match="no connection"):
            client("http://127.0.0.1:9/v1").complete(HELLO)

    def test_deadline_ends_waiting(self):
        with serve([error(429, retry_after="60")]) as server, pytest.raises(LimitError):
            client(server.url).complete(HELLO, deadline=time.monotonic() + 1)

    def test_passed_deadline_makes_no_call(self):
        with serve([text("x")]) as server, pytest.raises(LimitError):
            client(server.url).complete(HELLO, deadline=time.monotonic() - 1)
        assert server.requests == []


class TestTools:
    TOOL = Tool("find", "Find.", {"type": "object", "properties": {"name": {"type": "string"}}})

    def test_calls(self):
        with serve([calls(("find", {"name": "x"}))]) as server:
            request = ChatRequest((Message("user", "?"),), tools=(self.TOOL,))
            reply = client(server.url).complete(request)
            client(server.url).complete(
                request.with_messages(reply.message(), Message("tool", "{}", tool_call_id="call_0"))
            )
        assert [(c.name, c.arguments) for c in reply.tool_calls] == [("find", {"name": "x"})]
        assert server.requests[0]["tools"][0]["function"]["name"] == "find"
        again = server.requests[1]["messages"]
        assert again[1]["tool_calls"][0]["id"] == "call_0"
        assert again[2] == {"role": "tool", "content": "{}", "tool_call_id": "call_0"}

    @pytest.mark.parametrize("given", ['{"name": ', "[1]", '"x"', "null"])
    def test_malformed_arguments_are_told_not_lost(self, given):
        with serve([calls(("find", given))]) as server:
            call = client(server.url).complete(HELLO).tool_calls[0]
        assert call.arguments is None
        assert call.problem
        assert call.raw == given

    def test_arguments_as_an_object(self):
        with serve(
            [completion({"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {"a": 1}}}]})]
        ) as server:
            assert client(server.url).complete(HELLO).tool_calls[0].arguments == {"a": 1}


class TestStructured:
    REQUEST = ChatRequest((Message("user", "?"),), schema=SCHEMA)

    @pytest.mark.parametrize("content", ['{"a": 1}', '```json\n{"a": 1}\n```'])
    def test_right(self, content):
        with serve([text(content)]) as server:
            assert client(server.url).complete(self.REQUEST).data == {"a": 1}
        assert server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            ("I think it is 1", "not JSON"), ('{"a": "1"}', "type integer"), ("{}", "lacks a"), ('{"a": 1, "b": 2}', "unknown fields: b"),
            ("[1]", "type object"), ('{"a": true}', "type integer"), ("", "not JSON"),
        ],
    )  # fmt: skip
    def test_wrong(self, content, problem):
        with serve([text(content)]) as server:
            reply = client(server.url).complete(self.REQUEST)
        assert reply.data is None
        assert problem in reply.problem
        assert reply.text == content

    def test_schema_in_the_prompt(self):
        with serve([text('{"a": 1}')]) as server:
            client(server.url, options=ClientOptions(structured="prompt")).complete(self.REQUEST)
        assert "response_format" not in server.requests[0]
        assert '"additionalProperties"' in server.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize(
    "body", [b"<html>", b"", b"{}", b"[]", b'{"choices": []}', b'{"choices": [{"message": null}]}', b'{"choices": [{"message": 3}]}', b"\xff"]
)  # fmt: skip
def test_what_is_no_completion_is_an_error(body):
    with serve([Reply(body)]) as server, pytest.raises(ModelError, match="no chat completion"):
        client(server.url).complete(HELLO)


class TestKeys:
    def test_never_in_errors_or_prints(self):
        with serve([error(500, f"bad key {KEY} given")]) as server:
            model = client(server.url)
            with pytest.raises(ModelError) as caught:
                model.complete(HELLO)
        told = json.dumps(caught.value.to_dict()) + repr(model) + str(vars(caught.value))
        assert KEY not in told
        assert "***" in caught.value.message

    def test_password_in_the_address_is_not_told(self):
        with pytest.raises(ModelError) as caught:
            client("http://user:hidden-pass@127.0.0.1:9/v1").complete(HELLO)
        assert "hidden-pass" not in json.dumps(caught.value.to_dict())

    def test_key_comes_from_the_environment(self):
        with serve([text("x")]) as server:
            model = open_model("openai:m", base_url=server.url, environ={"OPENAI_API_KEY": KEY})
            model.complete(HELLO)
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"

    def test_missing_key(self):
        with pytest.raises(SetupError) as caught:
            open_model("openai:m", environ={})
        assert "OPENAI_API_KEY" in caught.value.hint

    @pytest.mark.parametrize("spec", ["gpt", "openai:", "nobody:x", ""])
    def test_spec_strings(self, spec):
        with pytest.raises(UsageError):
            open_model(spec, environ={})


class TestPrices:
    def test_dated_names_and_local_models(self):
        assert price_of("openai", "gpt-4o-mini-2024-07-18") == price_of("openai", "gpt-4o-mini")
        assert price_of("openai", "gpt-4o-mini").noted
        assert price_of("ollama", "anything").usd(10, 10) == 0
        assert price_of("openai", "not-listed") is None
        assert price_of("openai", "gpt-4o-9") is None

    @pytest.mark.parametrize("given", ["1", "a,b", "-1,2", ""])
    def test_price_of_the_user(self, given):
        assert Price.parse("0.15, 0.6") == Price(0.15, 0.6)
        with pytest.raises(UsageError):
            Price.parse(given)


class TestCache:
    def test_key_is_the_full_request_and_the_repeat(self):
        base = HELLO
        others = [
            ChatRequest((Message("user", "hello"),), max_tokens=100),
            ChatRequest(base.messages, max_tokens=101),
            ChatRequest(base.messages, max_tokens=100, temperature=0.1),
            ChatRequest(base.messages, max_tokens=100, seed=1),
            ChatRequest(base.messages, max_tokens=100, repeat=1),
            ChatRequest(base.messages, max_tokens=100, schema=SCHEMA),
            ChatRequest(base.messages, max_tokens=100, tools=(TestTools.TOOL,)),
        ]
        keys = {request.key("m") for request in [base, *others]} | {base.key("other")}
        assert len(keys) == len(others) + 2
        assert base.key("m") == ChatRequest(base.messages, max_tokens=100).key("m")

    def test_replies_survive_with_their_cost(self, tmp_path):
        path = tmp_path / "cache.jsonl"
        with serve([text("one", tokens=(9, 4)), text("two")]) as server:
            model = client(server.url, price=Price(1, 1))
            first = CachedModel(model, ReplyCache(path)).complete(HELLO)
            again = CachedModel(model, ReplyCache(path)).complete(HELLO)
        assert len(server.requests) == 1
        assert (first.cached, again.cached) == (False, True)
        assert again.usage == first.usage

    def test_a_torn_line_is_passed_over_and_kept(self, tmp_path):
        path = tmp_path / "cache.jsonl"
        with serve([text("one"), text("two")]) as server:
            cached = CachedModel(client(server.url), ReplyCache(path))
            cached.complete(HELLO)
            whole = path.read_bytes()
            path.write_bytes(whole[:-20])
            CachedModel(client(server.url), ReplyCache(path)).complete(HELLO)
        lines = path.read_bytes().splitlines()
        assert lines[0] == whole[:-20]
        assert json.loads(lines[1])["reply"]["text"] == "two"


class TestLimiter:
    def clock(self):
        state = {"now": 0.0}

        def sleep(seconds):
            state["now"] += seconds

        return state, lambda: state["now"], sleep

    def test_calls_per_minute(self):
        state, clock, sleep = self.clock()
        limiter = RateLimiter(3, clock=clock, sleep=sleep)
        for _ in range(7):
            limiter.acquire(1)
        assert state["now"] == pytest.approx(120.0)

    def test_tokens_per_minute(self):
        state, clock, sleep = self.clock()
        limiter = RateLimiter(0, 100, clock=clock, sleep=sleep)
        ticket = limiter.acquire(60)
        limiter.settle(ticket, 10)
        limiter.acquire(60)
        assert state["now"] == 0
        limiter.acquire(60)
        assert state["now"] == pytest.approx(60.0)
        limiter.acquire(1000)
        assert state["now"] == pytest.approx(120.0)

    def test_deadline(self):
        _, clock, sleep = self.clock()
        limiter = RateLimiter(1, clock=clock, sleep=sleep)
        limiter.acquire(1)
        with pytest.raises(LimitError):
            limiter.acquire(1, deadline=30.0)

    def test_shared_by_threads_and_models_of_an_endpoint(self):
        with serve([text("x")]) as server:
            models = [
                open_model(f"openai:{n}", base_url=server.url, calls_per_minute=4, environ={})
                for n in ("a", "b")
            ]
            late = []

            def call(model):
                try:
                    model.complete(HELLO, deadline=time.monotonic() + 2)
                except LimitError:
                    late.append(model.id)

            threads = [threading.Thread(target=call, args=(models[i % 2],)) for i in range(6)]
            [t.start() for t in threads]
            [t.join() for t in threads]
        assert len(server.requests) == 4
        assert len(late) == 2
