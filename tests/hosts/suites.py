"""The tests that hosts have of their own stores and sessions, which ours are held against, and
those of them that are left out, with the reason.

The tests come out of the hosts' own source releases, of the versions that the requirements pin.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_COSINE = "compares scores as the cosines of its own embedding"
_SQL = "looks into the tables, connections or locks of its own store"


@dataclass(frozen=True)
class Suite:
    """Some files of a source release, with the stand-in that its tests get for the host's class."""

    name: str
    release: str
    stand_in: str
    files: tuple[str, ...]
    left_out: dict[str, str] = field(default_factory=dict)


SUITES = (
    Suite(
        "LangGraph store (InMemoryStore's tests)",
        "langgraph-checkpoint",
        "langgraph-store",
        ("tests/test_store.py",),
        {
            "test_vector_store_initialization": _SQL,
            "test_embed_with_path": _COSINE,
        },
    ),
    Suite(
        "LangGraph store (SqliteStore's tests)",
        "langgraph-checkpoint-sqlite",
        "langgraph-sqlite-store",
        ("tests/test_store.py", "tests/test_async_store.py"),
        {
            "test_vector_store_initialization": _SQL,
            "test_embed_with_path": _COSINE,
            "test_embed_with_path_operation_config": _COSINE,
            "test_scores": _COSINE,
            "test_nonnull_migrations": _SQL,
            "test_sql_injection_vulnerability": "wants a filter refused that could be SQL; there is"
            " none here, and it finds nothing",
            "test_no_running_loop": "wants the plain methods refused inside a loop; ours may be"
            " called anywhere",
        },
    ),
    Suite(
        "OpenAI Agents SDK session (SQLiteSession's tests)",
        "openai-agents",
        "openai-agents-session",
        (
            "tests/memory/test_session.py",
            "tests/memory/test_session_limit.py",
            "tests/sandbox/test_memory.py",
            "tests/test_agent_runner.py",
            "tests/test_agent_runner_streamed.py",
            "tests/test_max_turns.py",
            "tests/test_native_tool_failure_history.py",
            "tests/test_programmatic_tool_calling.py",
            "tests/test_run_impl_resume_paths.py",
            "tests/test_soft_cancel.py",
            "tests/test_tool_batch_failure_history.py",
            "tests/test_tool_failure_boundaries.py",
        ),
        {
            "test_handoff_resume_after_cancelled_compaction_commits": _SQL,
            "test_sqlite_session_close_closes_worker_thread_connections": _SQL,
            "test_sqlite_session_reaps_connections_from_exited_worker_threads": _SQL,
            "test_sqlite_session_closes_retired_connections_before_the_next_allocation": _SQL,
            "test_sqlite_session_keeps_connections_of_live_worker_threads": _SQL,
            "test_sqlite_session_closed_rejects_empty_add_items": "closing a session of theirs"
            " closes its file; ours is closed by whoever opened the mind",
            "test_sqlite_session_pop_item_skips_corrupt_most_recent": _SQL,
            "test_sqlite_session_pop_item_returns_none_after_dropping_only_corrupt_rows": _SQL,
            "test_sqlite_session_get_items_limit_skips_corrupt_newest_rows": _SQL,
            "test_sqlite_session_get_items_session_settings_limit_skips_corrupt_rows": _SQL,
            "test_sqlite_session_file_lock_is_shared_across_instances": _SQL,
            "test_sqlite_session_failed_add_items_releases_write_lock": _SQL,
            "test_sqlite_session_failed_clear_session_rolls_back": _SQL,
            "test_sqlite_session_failed_pop_item_releases_write_lock": _SQL,
            "test_sqlite_session_rollback_failure_evicts_connection": _SQL,
            "test_sqlite_session_close_retries_quarantined_connection": _SQL,
            "test_sqlite_session_post_commit_cancellation_propagates_after_known_outcome": _SQL,
        },
    ),
)
