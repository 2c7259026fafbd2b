"""Small data in the shapes of published benchmarks, made up here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LOCOMO: list[dict[str, Any]] = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Ben",
            "session_2_date_time": "10:05 am on 3 June, 2023",
            "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "I adopted a beagle."}],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I paint lakes on Sundays.",
                 "img_url": ["x"], "blip_caption": "a painted lake", "query": "lake"},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "I went to Porto yesterday."},
            ],
            "session_3_date_time": "9:00 pm on 4 July, 2023",
        },
        "qa": [
            {"question": "What does Ann do on Sundays?", "answer": "paint lakes",
             "evidence": ["D1:1"], "category": 4},
            {"question": "When did Ben go to Porto?", "answer": 2023, "evidence": ["D1:02"],
             "category": 2},
            {"question": "Which pets and cities does Ben mention?", "answer": "beagle, Porto",
             "evidence": ["D2:1; D1:2", "D", "D:1:2", "D9:9"], "category": 1},
            {"question": "Would Ann like a gallery?", "answer": "Yes; she paints", "evidence": [],
             "category": 3},
            {"question": "What does Ben paint?", "adversarial_answer": "lakes",
             "evidence": ["D1:1"], "category": 5},
        ],
        "event_summary": {}, "observation": {}, "session_summary": {},
    },
    {
        "sample_id": "conv-2",
        "conversation": {
            "session_1_date_time": "11:00 am on 2 March, 2024",
            "session_1": [{"speaker": "小李", "dia_id": "D1:1", "text": "我在学陶艺，周六上课。"}],
        },
        "qa": [{"question": "小李在学什么？", "answer": "陶艺", "evidence": ["D1:1"],
                "category": 4}],
    },
]  # fmt: skip


def _haystack(name: str, kind: str, sessions: list[list[dict[str, Any]]]) -> dict[str, Any]:
    return {
        "question_id": name,
        "question_type": kind,
        "question": "Which car did I buy?",
        "answer": "a blue Volvo",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["answer_1", "filler", "filler"],
        "haystack_dates": [
            "2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 03:00", "2023/05/22 (Mon) 03:00"
        ],
        "haystack_sessions": sessions,
        "answer_session_ids": ["answer_1"],
    }  # fmt: skip


_FILLER = [{"role": "user", "content": "Tell me about tides."}]
LONGMEMEVAL = [
    _haystack(name, kind, [
        [
            {"role": "user", "content": "I bought a blue Volvo.", "has_answer": True},
            {"role": "assistant", "content": "Congratulations!", "has_answer": False},
        ],
        _FILLER,
        _FILLER,
    ])
    for name, kind in [("q1", "single-session-user"), ("q2_abs", "knowledge-update")]
]  # fmt: skip

BEAM_CHAT = [
    {
        "batch_number": 1,
        "turns": [[
            {"role": "user", "id": 0, "time_anchor": "March-15-2024", "index": "1,1",
             "content": "My tracker uses Flask 2.3. ->-> 1,1"},
            {"role": "assistant", "id": 1, "content": "Noted."},
        ]],
        "time_anchor": None,
    },
    {
        "batch_number": 2,
        "turns": [[{"role": "user", "id": 2, "content": "I moved the tracker to FastAPI."}]],
    },
]  # fmt: skip
BEAM_PROBES = {
    "abstention": [
        {"question": "What is my salary?", "ideal_response": "There is no information.",
         "rubric": ["There is no information about a salary"]},
    ],
    "knowledge_update": [
        {"question": "Which framework does my tracker use?", "answer": "FastAPI",
         "source_chat_ids": {"original_info": [0], "updated_info": [2, 99]},
         "rubric": ["LLM response should state: FastAPI"]},
    ],
    "event_ordering": [
        {"question": "In which order did I mention frameworks?", "answer": "Flask, FastAPI",
         "source_chat_ids": [[0], 2], "rubric": ["Flask", "FastAPI"]},
    ],
}  # fmt: skip

_QA = {
    "qid": 0, "question": "读书会在哪里举行？", "answer": "杭州", "target_step_id": [1],
    "choices": {"A": "上海", "B": "杭州"}, "ground_truth": "B", "time": "2024年04月04日 周四 07:42",
}  # fmt: skip
MEMDAILY: dict[str, Any] = {
    "simple": {
        "events": [
            {
                "tid": 0,
                "message_list": [
                    {"mid": 0, "message": "我要参加读书会。", "time": "2024年04月01日 周一 08:30",
                     "place": "广东深圳"},
                    {"mid": 1, "message": "读书会的地点是杭州。",
                     "time": "2024年04月02日 周二 07:08", "place": "广东深圳"},
                ],
                "QA": _QA,
            }
        ]
    },
    "noisy": {
        "roles": [
            {
                "tid": 3,
                "message_list": [
                    "今天天气不错",
                    "读书会的地点是杭州。 (消息地点 广东深圳, 消息时间 2024年04月02日 周二 07:08)",
                ],
                "QA": _QA,
            },
            {"tid": 4, "message_list": ["嗯"], "QA": {**_QA, "question": "[ERRORQ]"}},
        ]
    },
}  # fmt: skip


def write(path: Path, content: object, indent: int | None = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, ensure_ascii=False, indent=indent)
    path.write_text(text, encoding="utf-8")
    return path


def write_beam(folder: Path) -> Path:
    """Two chats; the second has a shorter version, which the publisher's evaluation takes."""
    for name in ("2", "10"):
        write(folder / name / "chat.json", BEAM_CHAT)
        write(folder / name / "probing_questions" / "probing_questions.json", BEAM_PROBES)
    write(folder / "10" / "chat_trunecated.json", BEAM_CHAT[:1])
    return folder
