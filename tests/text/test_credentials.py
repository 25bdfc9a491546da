import base64
import hashlib
import uuid
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmmem.text.credentials import KINDS, secret_kind

HEX = "0a1b2c3d"
MIXED = "aB3dE6gH"
UPPER = "QPZRY9X8"

# Put together here, so that no scanner of secrets takes this file for a leak; the last test looks.
SECRETS = [
    ("AWS access key", "AKIA" + "IOSFODNN7QZRSTUV"),
    ("AWS access key", "ASIA" + "IOSFODNN7QZRSTUV"),
    ("AWS access key", "AKIA" + "IOSFODNN7QZRSTUV" + ":" + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYQZRSTUVKEY"),
    ("AWS secret key", "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYQZRSTUVKEY"),
    ("AWS secret key", '"SecretAccessKey": "' + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYQZRSTUVKEY" + '"'),
    ("AWS secret key", "AWS secret key: " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYQZRSTUVKEY"),
    ("AWS secret key", "the secret access key is " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYQZRSTUVKEY"),
    ("AWS Bedrock key", "ABSK" + "QmVkcm9ja" + MIXED * 12),
    ("Alibaba Cloud access key", "LTAI" + "5tAbCdEfGhIjKlMnOpQr"),
    ("Tencent Cloud access key", "AKID" + "z8krbsJ5yKBZQpn74WFkmLPx3QZRSTUV"),
    ("Volcengine access key", "AKLT" + MIXED * 5),
    ("Baidu Cloud key", "bce-v3/" + "ALTAK-" + "aB3dE6gHaB3dE6gHaB3dE/" + HEX * 5),
    ("Google API key", "AIza" + "SyA1234567890abcdefghijklmnopqrstuv"),
    ("Google Gemini key", "AQ." + "Ab8RN6" + MIXED * 6),
    ("Google OAuth secret", "GOCSPX-" + "aB3dE6gHaB3dE6gHaB3dE6gH"),
    ("Google OAuth secret", "ya29." + "a0AfH6SM" + MIXED * 8),
    ("Google OAuth secret", "1//0" + "gaB3dE6gH" + MIXED * 8),
    ("Azure storage key", "AccountName=x;" + "AccountKey=" + MIXED * 11 + "=="),
    ("Azure access key", "SharedAccessKeyName=x;" + "SharedAccessKey=" + MIXED * 5 + "abc="),
    ("Azure access key", MIXED * 6 + "abcd" + "JQQJ99" + MIXED * 3 + "ab"),
    ("Azure signature", "?sv=2024-11-04&" + "sig=" + MIXED * 5 + "abc" + "%3D"),
    ("Azure client secret", "aB3" + "8Q~" + MIXED * 4),
    ("Azure DevOps token", MIXED * 9 + "abcd" + "AZDO" + "aB3d"),
    ("DigitalOcean token", "dop_v1_" + HEX * 8),
    ("Cloudflare token", "cfut_" + MIXED * 5 + HEX),
    ("Heroku token", "HRKU-" + "0a1b2c3d-0a1b-4c3d-8a1b-" + "0a1b2c3d0a1b"),
    ("Fly.io token", "fm2_" + MIXED * 10 + "=="),
    ("Vercel token", "vcp_" + MIXED * 6),
    ("Netlify token", "nfp_" + MIXED * 5),
    ("Supabase key", "sbp_" + HEX * 5),
    ("Supabase key", "sb_secret_" + MIXED * 3 + "_aB3dE6gH"),
    ("PlanetScale token", "pscale_tkn_" + MIXED * 5),
    ("Neon key", "napi_" + "ab3de6gh" * 8),
    ("Databricks token", "dapi" + HEX * 4),
    ("HashiCorp token", "hvs." + MIXED * 4),
    ("HashiCorp token", "aB3dE6gHaB3dE6" + ".atlasv1." + MIXED * 8),
    ("Pulumi token", "pul-" + HEX * 5),
    ("Doppler token", "dp.pt." + MIXED * 5),
    ("Doppler token", "dp.st.prd." + MIXED * 5),
    ("Tailscale key", "tskey-auth-" + "kaB3dE6gH-" + MIXED * 4),
    ("Anthropic key", "sk-ant-" + "api03-" + "aB3-_" * 16),
    ("OpenRouter key", "sk-or-" + "v1-" + HEX * 8),
    ("Langfuse key", "sk-lf-" + "0a1b2c3d-0a1b-4c3d-8a1b-" + "0a1b2c3d0a1b"),
    ("OpenAI key", "sk-" + "proj-" + MIXED * 6),
    ("OpenAI key", "sk-" + "svcacct-" + MIXED * 6),
    ("OpenAI key", "sk-" + MIXED * 6),
    ("Groq key", "gsk_" + MIXED * 6),
    ("xAI key", "xai-" + MIXED * 10),
    ("Cerebras key", "csk-" + "ab3de6gh" * 6),
    ("Perplexity key", "pplx-" + MIXED * 6),
    ("Replicate token", "r8_" + MIXED * 4 + "aB3dE"),
    ("NVIDIA key", "nvapi-" + MIXED * 8),
    ("Hugging Face token", "hf_" + "AbCdEfGh" * 4 + "Ij"),
    ("Hugging Face token", "api_org_" + "AbCdEfGh" * 4 + "Ij"),
    ("Weights & Biases key", "wandb_v1_" + MIXED * 6),
    ("LangSmith key", "lsv2_pt_" + HEX * 4 + "_0a1b2c3d0a"),
    ("Pinecone key", "pcsk_" + "aB3dE6_" + MIXED * 6),
    ("Zhipu key", HEX * 4 + "." + MIXED * 2),
    ("Jina key", "jina_" + HEX * 4 + MIXED * 4),
    ("Tavily key", "tvly-dev-" + MIXED * 4),
    ("Firecrawl key", "fc-" + HEX * 4),
    ("GitHub token", "ghp_" + MIXED * 4 + "1234"),
    ("GitHub token", "ghs_" + MIXED * 4 + "1234"),
    ("GitHub token", "github_pat_" + "11" + UPPER * 2 + "abcd_" + MIXED * 7 + "abc"),
    ("GitLab token", "glpat-" + "aB3dE6gHaB3dE6gHaB3d"),
    ("GitLab token", "glpat-" + MIXED * 6 + ".01." + "0a1b2c3d4"),
    ("GitLab token", "glrt-" + "aB3dE6gHaB3dE6gHaB3d"),
    ("GitLab token", "glptt-" + HEX * 5),
    ("Bitbucket or Atlassian token", "ATATT3" + "xFfGF0" + MIXED * 20 + "=0A1B2C3D"),
    ("Bitbucket or Atlassian token", "ATBB" + MIXED * 4),
    ("npm token", "npm_" + MIXED * 4 + "1234"),
    ("PyPI token", "pypi-" + "AgEIcHlwaS5vcmcCJDU3" * 3),
    ("RubyGems key", "rubygems_" + HEX * 6),
    ("NuGet key", "oy2" + "ab3de6gh" * 5 + "abc"),
    ("Docker token", "dckr_pat_" + MIXED * 3 + "aB3"),
    ("JFrog key", "AKCp" + MIXED * 9),
    ("CircleCI token", "CCIPAT_" + "aB3dE6gHaB3dE6gHaB3dE6" + "_" + HEX * 5),
    ("Buildkite token", "bkua_" + HEX * 5),
    ("SonarQube token", "squ_" + HEX * 5),
    ("Sentry token", "sntrys_" + "eyJ" + MIXED * 8),
    ("Sentry token", "sntryu_" + HEX * 8),
    ("Grafana token", "glsa_" + MIXED * 4 + "_" + HEX),
    ("New Relic key", "NRAK-" + UPPER * 3 + "ABC"),
    ("Dynatrace token", "dt0c01." + UPPER * 3 + "." + UPPER * 8),
    ("Postman key", "PMAK-" + HEX * 3 + "-" + HEX * 4 + "0a"),
    ("Figma token", "figd_" + MIXED * 5),
    ("Slack token", "xoxb-" + "123456789012-abcdefGHIJKL"),
    ("Slack token", "xoxp-" + "123456789012-123456789012-abcdefGHIJKL"),
    ("Slack token", "xoxd-" + "aB3dE6gH%2BaB3dE6gH%2F"),
    ("Slack token", "xapp-" + "1-A0123456789-1234567890123-" + HEX * 8),
    ("Slack webhook", "https://hooks.slack.com/" + "services/" + "T00000000/B00000000/" + "X" * 24),
    ("Discord webhook", "https://discord.com/api/webhooks/" + "123456789012345678/" + "aB3-" * 17),
    ("Discord bot token", "MTIzNDU2Nzg5MDEyMzQ1Njc4" + ".GaB3dE." + "aB3-" * 9),
    ("Teams webhook", "https://x.webhook.office.com/webhookb2/" + HEX * 6 + "/IncomingWebhook/" + HEX * 4 + "/" + HEX),
    ("Telegram bot token", "123456789:" + "AA" + "aB3-" * 8 + "x"),
    ("DingTalk webhook", "https://oapi.dingtalk.com/robot/send?" + "access_token=" + HEX * 8),
    ("Feishu webhook", "https://open.feishu.cn/open-apis/bot/v2/hook/" + str(uuid.UUID(int=7))),
    ("WeCom webhook", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?" + "key=" + str(uuid.UUID(int=7))),
    ("Stripe key", "sk_" + "live_" + MIXED * 3),
    ("Stripe key", "rk_" + "test_" + MIXED * 3),
    ("Stripe key", "whsec_" + MIXED * 4),
    ("Square token", "sq0atp-" + MIXED * 3),
    ("Braintree token", "access_token$production$" + "ab3de6gh" * 2 + "$" + HEX * 4),
    ("Plaid token", "access-production-" + str(uuid.UUID(int=7))),
    ("Shopify token", "shpat_" + HEX * 4),
    ("SendGrid key", "SG." + "aB3dE6gHaB3dE6gHaB3dE6" + "." + MIXED * 5 + "abc"),
    ("Mailchimp key", HEX * 4 + "-us12"),
    ("Brevo key", "xkeysib-" + HEX * 8 + "-" + MIXED * 2),
    ("Mapbox token", "sk." + "eyJ1Ijoi" + MIXED * 6 + "." + MIXED * 3),
    ("Resend key", "re_" + "aB3dE6gH_" + MIXED * 3),
    ("Twilio key", "SK" + HEX * 4),
    ("Airtable token", "pat" + "aB3dE6gHaB3dE6" + "." + HEX * 8),
    ("Notion token", "ntn_" + MIXED * 6),
    ("Linear key", "lin_api_" + MIXED * 5),
    ("Dropbox token", "sl.u." + MIXED * 16),
    ("1Password key", "ops_" + "eyJ" + MIXED * 8),
    ("1Password key", "A3-" + "ABCDEF-ABCDEF-ABCDE-ABCDE-ABCDE-" + "ABCDE"),
    ("age secret key", "AGE-SECRET-KEY-1" + UPPER * 7),
    ("Nostr secret key", "nsec1" + "qpzry9x8" * 7 + "qp"),
    ("wallet key", "xprv" + "9s21ZrQH" * 13),
    ("WireGuard key", "[Interface]\nPrivateKey = " + MIXED * 5 + "abc="),
    ("JSON Web Token", "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w"),
    ("bearer token", "Authorization: Bearer " + MIXED * 4),
    ("basic authorization", "Authorization: Basic " + "dXNlcjpodW50ZXIy"),
    ("private key", "-----BEGIN " + "OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk"),
    ("private key", "-----BEGIN " + "PRIVATE KEY-----\nMIIEvQIBADANBg"),
    ("private key", "-----BEGIN " + "PGP PRIVATE KEY BLOCK-----\n\nlQVYBG"),
    ("private key", "PuTTY-User-Key-File-" + "3: ssh-ed25519"),
    ("password in a URL", "postgres://app:" + "hunter2" + "@db.example.com/app"),
    ("password in a URL", "postgresql+psycopg://app:" + "hunter2" + "@127.0.0.1:5432/app?sslmode=require"),
    ("password in a URL", "mongodb+srv://app:" + "hunter2" + "@cluster0.example.mongodb.net"),
    ("password in a URL", "redis://:" + "hunter2" + "@cache:6379/0"),
    ("password", "password=" + "Tr0ub4dor&3xyz"),
    ("password", "the database password is " + "Kx9#mQ2v!pL"),
    ("password", "数据库密码是 " + "Kx9#mQ2v"),
    ("password", "mysql -u root -p" + "Tr0ub4dor3x"),
    ("password", "the passphrase of the key is " + '"correct horse battery 77"'),
    ("password", "PIN of the debit card: " + "4471"),
    ("key or token", "api_key: " + "abcdefghijklmnopqrstuvwxyzabcdef"),
    ("key or token", "AccessKeySecret=" + MIXED * 4),
    ("key or token", "微信 AppSecret: " + HEX * 4),
    ("GitHub token", "ghp_" + MIXED * 2 + "\n" + MIXED * 2 + "1234"),
    ("GitHub token", "ghp_" + MIXED + " " + MIXED * 3 + "1234"),
]  # fmt: skip
ORDINARY = [
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b, release 2025-01-09T10:30:00.123456Z",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "d41d8cd98f00b204e9800998ecf8427e in base64 1B2M2Y8AsgTpgAmY7PhCfg==",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "https://example.com:8080/a@b and git@github.com:owner/repo.git and ssh://git@example.com:22/x",
    "redis://user:${REDIS_PASSWORD}@cache and mysql://root:<password>@db and ftp://a:***@b",
    "d41d8cd98f00b204e9800998ecf8427e.jpg, d41d8cd98f00b204e9800998ecf8427e.previewthumbnail, and pk.eyJ is public",
    "sk-learn-pipelines-are-preferred, task-sk-1, the disk-encryption-of-a-laptop",
    "Keys begin with AKIA, ghp_, sk-ant- or xoxb-; a JWT with eyJ; the bearer of good news about authentication",
    "用户的密码保存在 1Password 里",
    "The secret access key is kept in 1Password; rotate the aws_secret_access_key every 90 days",
    "aws_secret_access_key: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b is the SHA-1 of a file, not a key",
    "NotificationConfigurationRow.config.applyDefaultsToEveryChannel2 is slow",
    "The header is Authorization: Basic authentication, or Authorization: Bearer <token>",
    "sb_secret_key_from_the_environment and figd_ are names; jina_embeddings_v3_base_multilingual_reranker_large_model",
    "bkp_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b.tar.gz is the newest backup",
    "PublicKey = HIgo9xNzJMWLKASShiTqIybxZ0U3wGLiUeJ1PKf8ykw= and AllowedIPs = 0.0.0.0/0",
    "access-production-servers-from-the-office, re_compile_the_code, fc-2024-report, pul-request, dp.pt.md",
    "order MTIzNDU2, tracking 1Z999AA10123456784, IBAN DE89370400440532013000, ISBN 978-3-16-148410-0",
    "tskey-auth- begins a key of Tailscale, glsa_ one of Grafana, hvs. one of Vault",
    "我的订单号是 202511300259AKIA，会员号 A3-7788，快递单号 SF1234567890123",
    "GPT-4o, qwen2.5-72b-instruct-q4_k_m, sk-SK is Slovak, whsec_ is a prefix, npm_config_registry",
    "https://user:password@example.com and postgres://USER:PASSWORD@HOST and mysql://root:root@localhost",
    "The documents of AWS show AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY.",
    "order SK2024" + "12345678" * 4 + " and SK" + "12345678" * 4,
    "password: at least 12 characters; password=${DB_PASSWORD}; password is kept in 1Password; 密码长度至少12位",
    "api_key=os.getenv('API_KEY_2'); token: str; api_key: xxxxxxxxxxxxxxxxxxxxxxxx; secret_key=your-secret-key-1234567",
    "パスワードは 1Password にあります; Passwort: steht im Tresor; 密码：见保险库; token: " + "\u00e9" * 20,
    "sha1:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b@sha256:" + "e3b0c44298fc1c149afbf4c8996fb924" * 2,
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
@pytest.mark.parametrize("frame", ["{}", "The key is `{}`.", "密钥是{}。", "KEY={}"])
def test_a_secret_is_known_by_its_kind(kind: str, secret: str, frame: str) -> None:
    assert secret_kind(frame.format(secret)) == kind


def test_every_kind_has_an_example() -> None:
    assert {kind for kind, _ in SECRETS} == set(KINDS)


@pytest.mark.parametrize("text", ORDINARY)
def test_hashes_names_and_talk_of_keys_are_not_secrets(text: str) -> None:
    assert secret_kind(text) == ""


@given(st.uuids(), st.binary(min_size=16, max_size=64), st.integers(0, 2**63))
def test_no_uuid_hash_or_timestamp_is_taken_for_a_secret(
    identifier: uuid.UUID, digest: bytes, nanoseconds: int
) -> None:
    sha1, coded = hashlib.sha1(digest, usedforsecurity=False).hexdigest(), base64.b64encode(digest).decode()
    text = f"{identifier} {identifier.hex} {digest.hex()} {digest.hex().upper()} {nanoseconds} {sha1} sha256-{coded}"
    assert secret_kind(text) == ""


@given(st.text())
def test_no_short_text_is_a_secret_and_none_breaks_the_search(text: str) -> None:
    assert secret_kind(text) == "" or len(text) > 16


@pytest.mark.parametrize(
    "run", ["eyJaaaaaaaa-", "a", "aB3-", "._~-", "sk-", "://a:", "sig=", "eyJaaaaaaaa.a", "Bearer "]
)
def test_a_run_of_what_begins_a_shape_is_none(run: str) -> None:
    assert secret_kind(run * (100_000 // len(run))) == ""


def test_no_secret_stands_in_this_file() -> None:
    assert secret_kind(Path(__file__).read_text(encoding="utf-8")) == ""
