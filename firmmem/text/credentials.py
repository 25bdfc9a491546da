"""Keys, tokens and passwords of well-known shapes: what kind stands in a text, never its value.

A shape is what its issuer gives it: a prefix that nothing else has, then so many characters of one alphabet. What has
no prefix of its own is looked for only where a label tells it, since hashes, ids and dates look the same.
"""

import re
from typing import Final

from firmmem.patterns import lazy
from firmmem.text.labelled_secrets import labelled_secret

_CLOUDS: Final = {
    "AWS access key": r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?![A-Za-z0-9])",
    "AWS secret key": (
        r"(?i:aws[ _-]?secret(?:[ _-]?access)?[ _-]?key|secret[ _-]?access[ _-]?key)['\"]?\s{0,3}(?:[:=：]|"
        r"is\s)\s{0,3}"
        r"['\"]?(?=[A-Z0-9/+]{0,39}[a-z])(?=[a-z0-9/+]{0,39}[A-Z])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"
    ),
    "AWS Bedrock key": r"(?:ABSKQmVkcm9ja|bedrock-api-key-YmVkcm9jay)[A-Za-z0-9+/=]{40,}",
    "Alibaba Cloud access key": r"LTAI[A-Za-z0-9]{16,24}(?![A-Za-z0-9])",
    "Tencent Cloud access key": r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])",
    "Volcengine access key": r"AKLT[A-Za-z0-9_-]{36,}",
    "Baidu Cloud key": r"bce-v3/ALTAK-[A-Za-z0-9]{16,}/[a-f0-9]{40}",
    "Google API key": r"AIza[\w-]{35}",
    "Google Gemini key": r"AQ\.Ab[\w-]{40,}",
    "Google OAuth secret": r"(?:GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}|1//0[\w-]{40,})",
    "Azure storage key": r"AccountKey=[A-Za-z0-9+/]{80,}",
    "Azure access key": r"(?:SharedAccessKey=[A-Za-z0-9+/]{40,}|[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}(?![A-Za-z0-9]))",
    "Azure signature": r"sig=(?=[\w%+/-]{0,60}[A-Z%+/])[\w%+/-]{43,}(?:%3[Dd]|=)",
    "Azure client secret": r"[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])",
    "Azure DevOps token": r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])",
    "DigitalOcean token": r"do[opr]_v1_[a-f0-9]{60,}",
    "Cloudflare token": r"cf(?:k|ut|at)_[A-Za-z0-9]{44,}",
    "Heroku token": r"HRKU-[\w-]{36,}",
    "Fly.io token": r"fm[12][ar]?_[A-Za-z0-9+/=]{60,}",
    "Vercel token": r"vc[acikpr]_(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{24,}",
    "Netlify token": r"nf[cboup]_[A-Za-z0-9]{36,}",
    "Supabase key": r"(?:sbp_(?:v0_)?[a-f0-9]{40}|sb_secret_(?=[A-Za-z_-]{0,40}\d)[\w-]{20,})",
    "PlanetScale token": r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}",
    "Neon key": r"napi_[a-z0-9]{50,}",
    "Databricks token": r"dapi[a-f0-9]{32}",
    "HashiCorp token": r"(?:hv[sbr]\.[\w-]{24,}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,})",
    "Pulumi token": r"pul-[a-f0-9]{40}",
    "Doppler token": r"dp\.(?:pt|ct|sa|st|scim|audit)\.(?:[\w-]{1,40}\.)?[A-Za-z0-9]{40,}",
    "Tailscale key": r"tskey-[a-z]{3,12}-[A-Za-z0-9]{6,}-[A-Za-z0-9]{16,}",
}
_MODELS: Final = {
    "Anthropic key": r"sk-ant-[\w-]{16,}",
    "OpenRouter key": r"sk-or-[\w-]{16,}",
    "Langfuse key": r"sk-lf-[a-f0-9-]{36}",
    "OpenAI key": r"sk-(?:(?:proj|svcacct|admin|None)-[\w-]{16,}|[A-Za-z0-9]{20,}(?![\w-]))",
    "Groq key": r"gsk_[A-Za-z0-9]{32,}",
    "xAI key": r"xai-[A-Za-z0-9]{32,}",
    "Cerebras key": r"csk-[a-z0-9]{40,}",
    "Perplexity key": r"pplx-[A-Za-z0-9]{40,}",
    "Replicate token": r"r8_[A-Za-z0-9]{37}",
    "NVIDIA key": r"nvapi-[\w-]{50,}",
    "Hugging Face token": r"(?:hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z0-9]{30,})",
    "Weights & Biases key": r"wandb_v1_\w{40,}",
    "LangSmith key": r"lsv2_[ps][tk]_[a-f0-9]{32}_[a-f0-9]{10}",
    "Pinecone key": r"pcsk_\w{40,}",
    "Zhipu key": r"[a-f0-9]{32}\.(?=[A-Za-z]{0,15}\d)(?=[a-z0-9]{0,15}[A-Z])[A-Za-z0-9]{16}(?![\w.])",
    "Jina key": r"jina_[a-f0-9]{32}[\w-]{20,}",
    "Tavily key": r"tvly-(?:dev-|prod-)?(?=[A-Za-z-]{0,60}\d)[A-Za-z0-9-]{24,}",
    "Firecrawl key": r"fc-[a-f0-9]{32}(?![a-f0-9])",
}
_CODE: Final = {
    "GitHub token": r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,})",
    "GitLab token": r"gl(?:pat|dt|rtr|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[\w.-]{20,}",
    "Bitbucket or Atlassian token": r"AT(?:ATT3|CTT3|BB)[\w=-]{24,}",
    "npm token": r"npm_[A-Za-z0-9]{36}",
    "PyPI token": r"pypi-AgE[\w-]{16,}",
    "RubyGems key": r"rubygems_[a-f0-9]{48}",
    "NuGet key": r"oy2[a-z0-9]{43}(?![A-Za-z0-9])",
    "Docker token": r"dckr_[op]at_[\w-]{20,}",
    "JFrog key": r"AKCp[A-Za-z0-9]{60,}",
    "CircleCI token": r"CCI(?:PAT|PRJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}",
    "Buildkite token": r"bkua_[a-f0-9]{40}",
    "SonarQube token": r"sq[apu]_[a-f0-9]{40}",
    "Sentry token": r"sntr(?:ys_eyJ[\w+/=-]{40,}|yu_[a-f0-9]{60,})",
    "Grafana token": r"(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_eyJ[\w+/=-]{30,})",
    "New Relic key": r"NRAK-[A-Z0-9]{27}",
    "Dynatrace token": r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}",
    "Postman key": r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
    "Mapbox token": r"[st]k\.eyJ[\w-]{20,}\.[\w-]{20,}",
    "Figma token": r"figd_[\w-]{40,}",
}
_SERVICES: Final = {
    "Slack token": r"(?:xox[abcdeoprs]-[\w%-]{10,}|xapp-\d-[\w-]{10,})",
    "Slack webhook": r"hooks\.slack\.com/(?:services|workflows|triggers)/T\w{6,}/\w{6,}/\w{16,}",
    "Discord webhook": r"discord(?:app)?\.com/api/webhooks/\d{15,}/[\w-]{30,}",
    "Discord bot token": r"[MNO][DTjz](?=[A-Za-z]{0,25}\d)[A-Za-z0-9]{22,26}\.[\w-]{6}\.[\w-]{27,}",
    "Teams webhook": r"webhook\.office\.com/webhookb2/[\w@-]{36,}/IncomingWebhook/[a-f0-9]{32}",
    "Telegram bot token": r"(?:bot)?\d{8,10}:AA[\w-]{32,}",
    "DingTalk webhook": r"oapi\.dingtalk\.com/robot/send\?access_token=[a-f0-9]{40,}",
    "Feishu webhook": r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[\w-]{30,}",
    "WeCom webhook": r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[\w-]{30,}",
    "Stripe key": r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,})",
    "Square token": r"sq0(?:atp|csp|idp)-[\w-]{22,}",
    "Braintree token": r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
    "Plaid token": r"access-(?:sandbox|development|production)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9-]{22,}",
    "Shopify token": r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    "SendGrid key": r"SG\.[\w-]{16,32}\.[\w-]{32,}",
    "Mailchimp key": r"[a-f0-9]{32}-us\d{1,2}(?![\w-])",
    "Brevo key": r"x(?:keysib|smtpsib)-[a-f0-9]{64}-[A-Za-z0-9]{16}",
    "Resend key": r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}",
    "Twilio key": r"SK(?=\d{0,31}[a-f])[a-f0-9]{32}(?![A-Za-z0-9])",
    "Airtable token": r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",
    "Notion token": r"(?:ntn_|secret_)[A-Za-z0-9]{40,}",
    "Linear key": r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}",
    "Dropbox token": r"sl\.(?:[a-z]\.)?[\w-]{100,}",
    "1Password key": r"(?:ops_eyJ[\w+/=-]{40,}|A3-[A-Z0-9]{6}-[A-Z0-9]{5,6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3})",
}
_ANYWHERE: Final = {
    "age secret key": r"AGE-SECRET-KEY-1[A-Z0-9]{40,}",
    "Nostr secret key": r"nsec1[a-z0-9]{58}(?![a-z0-9])",
    "wallet key": r"[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,}",
    "WireGuard key": r"(?:Private|Preshared)Key\s{0,3}=\s{0,3}[A-Za-z0-9+/]{43}=",
    "JSON Web Token": r"eyJ[\w-]{8,2000}\.eyJ[\w-]{8,8000}\.[\w-]{8,}",
    "bearer token": r"[Bb]earer\s{1,3}(?=[A-Za-z_.~+/=-]{0,60}\d)[\w.~+/=-]{24,}",
    "basic authorization": (
        r"[Aa]uthorization['\"]?:\s{0,3}['\"]?Basic\s{1,3}"
        r"(?=[A-Za-z0-9+/]{0,60}[a-z0-9+/][A-Z])[A-Za-z0-9+/]{12,}"
    ),
    "private key": r"(?:-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:)",
}
_SHAPES: Final = _MODELS | _CLOUDS | _CODE | _SERVICES | _ANYWHERE
URL_KIND: Final = "password in a URL"
KINDS: Final = (*_SHAPES, URL_KIND, "password", "key or token")
# A shape starts where a word does, so that a long run of one character is read once. Its group is empty and stands
# behind it: the search then sees by a shape's first letter that it does not begin here, ten times as fast.
_SECRET = lazy(
    f"(?<![A-Za-z0-9])(?=[A-Za-z0-9.~_-])(?:{'|'.join(f'{shape}()' for shape in _SHAPES.values())})", re.ASCII
)
_URL_PASSWORD = lazy(
    r"://(?P<user>[^\s:/@]{0,100}):(?![<$*{%\[]|x{3,}|\.{3})(?P<password>[^\s/@]{1,200})@[\w\[]", re.ASCII
)
# What documents write where a password stands; a user's own name is another.
_USUAL: Final = frozenset(
    [
        "password",
        "passwd",
        "pass",
        "pwd",
        "pw",
        "secret",
        "user",
        "username",
        "root",
        "admin",
        "guest",
        "test",
        "example",
        "changeme",
        "postgres",
        "mysql",
        "redis",
        "token",
        "your_password",
        "your-password",
        "yourpassword",
        "mypassword",
        "dbpassword",
        "db_password",
        "xxx",
    ]
)
# A key that is broken over lines or by a space: what follows looks like no word.
_BREAK = lazy(
    r"(?<=[A-Za-z0-9_-])(?:[ \t]*\\?\n[ \t]*(?=[A-Za-z0-9_/+=-]{16})|"
    r"[ \t]*\\?\n[ \t]*(?=[A-Za-z_/+=-]{0,60}\d)(?=[0-9_/+=-]{0,60}[A-Za-z])"
    r"(?=[A-Za-z0-9_/+=-]{8})| {1,2}(?=[A-Za-z_/+=-]{0,60}\d)(?=[0-9_/+=-]{0,60}[A-Za-z])(?=[A-Za-z0-9_/+=-]{8}))",
    re.ASCII,
)
# What a label has in it: most texts have none, and are cleared at once.
_LABELS: Final = (
    *(
        "pass",
        "pwd",
        "mysql",
        "secret",
        "token",
        "key",
        "senha",
        "contrase",
        "kennwort",
        "mnemonic",
        "phrase",
        "pin",
        "cvv",
    ),
    *(
        "cvc",
        "puk",
        "пароль",
        "ключ",
        "密",
        "口令",
        "私钥",
        "秘钥",
        "令牌",
        "パスワード",
        "秘密",
        "暗証",
        "비밀",
        "助记",
    ),
)
_DIGIT = lazy(r"\d")
_SHORTEST_PIECE: Final = 8  # characters of what stands behind a break


def secret_kind(text: str) -> str:
    """Return what kind of key, token or password is in the text, or nothing."""
    if kind := _shaped(text):
        return kind
    if any(map(_may_be_piece, text.split())) and (kind := _shaped(_BREAK.sub("", text))):
        return kind
    if any(map(_is_password, _URL_PASSWORD.finditer(text))):
        return URL_KIND
    low = text.lower()
    return labelled_secret(text) if any(label in low for label in _LABELS) else ""


def _may_be_piece(word: str) -> bool:
    return len(word) >= _SHORTEST_PIECE and word != word.lower() and _DIGIT.search(word) is not None


def _shaped(text: str) -> str:
    """Return the kind of the first shape in a text that is no example of documents."""
    for found in _SECRET.finditer(text):
        if "EXAMPLE" not in found[0]:
            return KINDS[(found.lastindex or 1) - 1]
    return ""


def _is_password(found: re.Match[str]) -> bool:
    password = found["password"].lower()
    return password not in _USUAL and password != found["user"].lower()
