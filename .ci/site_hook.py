"""Builds the site (mkdocs.yml) from pages that are written for GitHub.

A link out of docs/ leads to a copy below repository/, a link to a folder to its README or to a list of its files.
"""

import os
import posixpath
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r'(?ms)^\s*```.*?^\s*```$|`[^`\n]*`|(\]\(|\b(?:src|href)=")([^)\s"#:]+)(?=[)"#])')
LOADED = re.compile(r'<(?:script|img)[^>]*\ssrc="?(?:https?:)?//|<link[^>]*\shref="?(?:https?:)?//')


def linked(page, url):
    """The path, in the repository, of a file that a page links to; of a folder, its README or its list of files."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), url))
    if not os.path.isdir(os.path.join(ROOT, path)):
        return path
    has_readme = os.path.exists(os.path.join(ROOT, path, "README.md"))
    return posixpath.join(path, "README.md" if has_readme else "index.md")


def in_site(path):
    return path.removeprefix("docs/") if path.startswith("docs/") else "repository/" + path


def on_files(files, config):
    pages = ["README.md", "CHANGELOG.md", "HACKING.md"]
    pages += ["docs/" + each.src_uri for each in files.documentation_pages()]
    for page in pages:
        folder, name = os.path.split(os.path.join(ROOT, page))
        if name == "index.md":
            names = sorted(each.name for each in os.scandir(folder) if each.is_file())
            text = f"# {posixpath.dirname(page)}\n\n" + "".join(f"- [{each}]({each})\n" for each in names)
            files.append(File.generated(config, in_site(page), content=text))
        else:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
        for path in [page] + [linked(page, link[2]) for link in LINK.finditer(text) if link[2]]:
            source = os.path.join(ROOT, path)
            if path not in pages and (path.endswith(".md") and os.path.isfile(source) or path.endswith("/index.md")):
                pages.append(path)
            if os.path.isfile(source) and not files.get_file_from_path(in_site(path)):
                files.append(File.generated(config, in_site(path), abs_src_path=source))


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    path = uri.removeprefix("repository/") if uri.startswith("repository/") else "docs/" + uri

    def moved(link):
        return link[1] + posixpath.relpath(in_site(linked(path, link[2])), posixpath.dirname(uri) or ".")

    return LINK.sub(lambda link: moved(link) if link[2] else link[0], markdown)


def on_post_page(output, page, config):
    if found := LOADED.search(output):
        raise PluginError(f"{page.file.src_uri} loads something from the network: {found[0]}")
