"""Keys that show what they are: a literal part, the pattern after it, and the name of the format.

The literal part is looked for first, with a plain substring search, so that a text without one
costs next to nothing; patterns are compiled when their literal is met. Every pattern starts with
its literal and never gives back what it took, so no text makes it slow.

Left out on purpose: names that only say which key is meant (an account SID, an app id). Numbers of
bank cards and persons are in ``secrets_numbers``.
"""

from __future__ import annotations

from typing import NamedTuple

_W = "[A-Za-z0-9]"
_B = "[A-Za-z0-9_-]"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


class Format(NamedTuple):
    """One way a key is written; ``before`` is what has to stand before the literal part."""

    name: str
    literal: str
    after: str
    before: str = ""
    inner: bool = False  # the literal may follow a letter or digit, and only group 1 is secret


FORMATS: tuple[Format, ...] = (
    # Clouds
    Format("aws_access_key", "AKIA", "[A-Z0-9]{16}"),
    Format("aws_access_key", "ASIA", "[A-Z0-9]{16}"),
    Format("aws_signature", "X-Amz-Signature=", "([0-9a-f]{64})", inner=True),
    Format("aws_session_token", "X-Amz-Security-Token=", "([A-Za-z0-9%+/=]{80,}+)", inner=True),
    Format("google_api_key", "AIza", f"{_B}{{35}}"),
    Format("google_oauth_secret", "GOCSPX-", f"{_B}{{24,32}}"),
    Format("google_oauth_token", "ya29.", f"{_B}{{20,}}+"),
    Format("google_refresh_token", "1//0", f"{_B}{{30,}}+"),
    Format("azure_account_key", "AccountKey=", "([A-Za-z0-9+/]{60,}+={0,2})", inner=True),
    Format("azure_access_key", "SharedAccessKey=", "([A-Za-z0-9+/]{40,}+={0,2})", inner=True),
    Format("azure_client_secret", "8Q~", "[A-Za-z0-9_~.-]{31,34}", "[A-Za-z0-9_~.-]{3}"),
    Format("azure_client_secret", "7Q~", "[A-Za-z0-9_~.-]{31,34}", "[A-Za-z0-9_~.-]{3}"),
    Format("azure_sas_signature", "sig=", "([A-Za-z0-9%+/]{43,}+={0,2})", inner=True),
    Format("aliyun_access_key", "LTAI", f"{_W}{{12,26}}"),
    Format("tencent_secret_id", "AKID", f"{_W}{{32}}"),
    Format("volcengine_access_key", "AKLT", f"{_B}{{36,}}+={{0,2}}"),
    Format("baidu_access_key", "ALTAK-", f"{_W}{{20,24}}"),
    Format("baidu_qianfan_key", "bce-v3/", "[A-Za-z0-9-]{8,64}+/[0-9a-f]{40}"),
    Format("digitalocean_token", "dop_v1_", "[0-9a-f]{64}"),
    Format("databricks_token", "dapi", "[0-9a-f]{32}(?:-[0-9])?"),
    Format("vault_token", "hvs.", f"{_B}{{24,}}+"),
    # Code and packages
    *(Format("github_token", f"gh{kind}_", f"{_W}{{36,}}+") for kind in "pousr"),
    Format("github_token", "github_pat_", "[A-Za-z0-9_]{22,}+"),
    *(Format("gitlab_token", f"gl{kind}-", f"{_B}{{20,}}+")
      for kind in ("pat", "ptt", "dt", "rt", "cbt", "soat")),
    Format("npm_token", "npm_", f"{_W}{{36}}"),
    Format("pypi_token", "pypi-AgE", f"{_B}{{50,}}+"),
    Format("docker_token", "dckr_pat_", f"{_B}{{27,}}+"),
    Format("atlassian_token", "ATATT3", f"{_B}{{50,}}+(?:=[0-9A-F]{{8}})?"),
    # Models
    Format("anthropic_key", "sk-ant-", f"{_B}{{32,}}+"),
    Format("openai_key", "sk-proj-", f"{_B}{{40,}}+"),
    Format("openai_key", "sk-svcacct-", f"{_B}{{40,}}+"),
    Format("openrouter_key", "sk-or-v1-", "[0-9a-f]{64}"),
    # OpenAI of old, DashScope, DeepSeek, Moonshot and others share one form.
    Format("model_key", "sk-", f"{_W}{{20,}}+(?!-)"),
    Format("huggingface_token", "hf_", f"{_W}{{30,}}+"),
    Format("groq_key", "gsk_", f"{_W}{{48,}}+"),
    Format("xai_key", "xai-", f"{_W}{{60,}}+"),
    Format("replicate_token", "r8_", f"{_W}{{37}}"),
    Format("nvidia_key", "nvapi-", f"{_B}{{60,}}+"),
    Format("zhipu_key", ".", f"{_W}{{16}}(?![\\w.-])", "[0-9a-f]{32}"),
    # Money, mail and messages
    Format("stripe_key", "sk_live_", f"{_W}{{16,}}+"),
    Format("stripe_key", "sk_test_", f"{_W}{{16,}}+"),
    Format("stripe_key", "rk_live_", f"{_W}{{16,}}+"),
    Format("stripe_webhook_secret", "whsec_", "[A-Za-z0-9+/]{32,}+={0,2}"),
    *(Format("shopify_token", f"shp{kind}_", "[0-9a-fA-F]{32}") for kind in ("at", "ss", "ca")),
    Format("sendgrid_key", "SG.", f"{_B}{{16,32}}+\\.{_B}{{16,64}}+"),
    Format("mailgun_key", "key-", "[0-9a-f]{32}"),
    Format("twilio_key", "SK", "[0-9a-f]{32}"),
    Format("slack_token", "xox", r"[abeprs](?:\.xox[bp])?-[A-Za-z0-9-]{20,}+"),
    Format("slack_token", "xapp-", "[A-Za-z0-9-]{30,}+"),
    Format("slack_webhook", "hooks.slack.com/services/",
           "([A-Z0-9]{8,}+/[A-Z0-9]{8,}+/[A-Za-z0-9]{20,}+)", inner=True),
    Format("discord_webhook", "/api/webhooks/", f"([0-9]{{16,20}}/{_B}{{60,}}+)", inner=True),
    Format("telegram_token", ":AA", f"{_B}{{32,34}}", "[0-9]{6,12}"),
    Format("dingtalk_webhook", "dingtalk.com/robot/send?access_token=", "([0-9a-f]{64})",
           inner=True),
    Format("dingtalk_secret", "SEC", "[0-9a-f]{64}"),
    Format("feishu_webhook", "/open-apis/bot/v2/hook/", f"({_UUID})", inner=True),
    Format("wecom_webhook", "/cgi-bin/webhook/send?key=", f"({_UUID})", inner=True),
    # Work
    Format("notion_token", "ntn_", f"{_W}{{40,}}+"),
    Format("linear_key", "lin_api_", f"{_W}{{32,}}+"),
    Format("figma_token", "figd_", f"{_B}{{36,}}+"),
    Format("postman_key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
    Format("grafana_token", "glsa_", f"{_W}{{32}}_[0-9a-fA-F]{{8}}"),
    Format("newrelic_key", "NRAK-", "[A-Z0-9]{27}"),
    Format("supabase_key", "sb_secret_", f"{_B}{{20,}}+"),
    Format("langsmith_key", "lsv2_", "(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    Format("age_key", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
    # Whatever the service
    Format("jwt", "eyJ", f"{_B}{{10,}}+\\.eyJ{_B}{{10,}}+\\.{_B}{{10,}}+"),
    Format("url_password", "://", r"[^\s:/@\"'<>`\[]{0,128}+:([^\s/\"'<>`]{1,256})@", inner=True),
    *(Format("bearer_token", f"{word} ", r"\s{0,4}+([A-Za-z0-9_.~+/-]{16,}+={0,2})", inner=True)
      for word in ("Bearer", "bearer", "BEARER")),
    *(Format("basic_auth", f"{word}: Basic ", r"([A-Za-z0-9+/]{8,}+={0,2})", inner=True)
      for word in ("Authorization", "authorization")),
    Format("command_password", " -u ", r"['\"]?[^\s:'\"\[]{1,64}+:([^\s'\"]{6,128}+)", inner=True),
    Format("command_password", "sshpass -p", r"[ =]?['\"]?([^\s'\"]{4,128}+)", inner=True),
    # The body of a private key ends at its END line; in a text that was cut, with its last letters.
    Format("private_key", "-----BEGIN ",
           r"(?:[A-Z0-9]{2,12}+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
           r"((?=[^-]{0,300}?[A-Za-z0-9+/=]{24})[^-]*+(?:-(?!----)[^-]*+)*+(?=-----END)"
           r"|[\s\\nr]*+(?:[A-Za-z0-9+/=]{24,}+[\s\\nr]*+)+)", inner=True),
    Format("putty_private_key", "Private-Lines: ", r"[0-9]+\s++([A-Za-z0-9+/=\s]{40,}+)",
           inner=True),
)  # fmt: skip
