# Makes an environment with the engines beside this one, once, and prints its interpreter.
set -e
packages=$(dirname "$0")/packages.txt
made=$PWD/.cache/engines-$(sha256sum "$packages" | cut -c1-8)
if [ ! -f "$made/ready" ]; then
  command -v java >/dev/null || { # Spark's
    root=$([ "$(id -u)" = 0 ] || echo sudo)
    $root apt-get update -qq && $root apt-get install -qq -y --no-install-recommends default-jre-headless
  } >&2
  python -m venv --clear "$made" >&2
  "$made/bin/python" -m pip install -q --no-deps --disable-pip-version-check -r "$packages" >&2
  shared=$("$made/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/zz_shared.pth
  python -c 'import sys; [print(f"import site; site.addsitedir({p!r})") for p in sys.path if p.endswith("site-packages")]' > "$shared"
  touch "$made/ready"
fi
echo "$made/bin/python"
