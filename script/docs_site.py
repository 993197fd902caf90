# SPDX-License-Identifier: MIT
"""MkDocs hooks for the site of docs/ (mkdocs.yml). They add the generated pages, the documents of the root and the
pictures of plots/; show links to other files of the tree as file names; and replace the search by one that also works
from file:// URLs, where a page may not fetch."""
import importlib.machinery
import importlib.util
import os
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCUMENTS = {"CONTRIBUTING.md": "contributing/index.md", "CHANGELOG.md": "changelog.md",
             "tests/races/README.md": "evidence/races.md"}
LINK = re.compile(r"```.*?^```|`[^`\n]*`|(!?)\[((?:[^\]`]|`[^`]*`)*)\]\(([^)#\s]*)(#[^)\s]*)?\)", re.M | re.S)
STYLE = """.wy-nav-content { max-width: 66rem; }
.wy-table-responsive table td, .wy-table-responsive table th { white-space: normal; }
.rst-content code { white-space: normal; overflow-wrap: anywhere; }
.rst-content pre code { white-space: pre; }
.wy-side-nav-search { position: sticky; top: 0; z-index: 1; }
.wy-menu-vertical li, .wy-menu-vertical a { scroll-margin-top: 7rem; }
.wy-side-nav-search, .wy-nav-top { background: #1f6391; }
.wy-menu-vertical li.toctree-l1:not(.current) > a button.toctree-expand { color: #b8bec4; }
.wy-menu-vertical li.current li button.toctree-expand { color: #555; }
.rst-content a:not(.btn) { color: #1f6391; }
.rst-content p a, .rst-content section li a, .rst-content td a, footer a:not(.btn) { text-decoration: underline; }
.rst-content code { color: #b3261e; }
.rst-content pre code { color: inherit; }
footer { color: #666; }
@media (prefers-color-scheme: dark) {
    body.wy-body-for-nav, .wy-nav-content, .wy-nav-content-wrap { background: #16191d; color: #d6dade; }
    .rst-content a:not(.btn) { color: #6cb6ff; }
    h1, h2, h3, h4, legend, .rst-content table.docutils th, .wy-table th { color: #eef1f4; }
    .rst-content code, .rst-content pre, .rst-content pre code, #mkdocs-search-query { background: #22272d; border-color: #3a4149; color: #e6c58f; }
    .rst-content pre, .rst-content pre code, #mkdocs-search-query { color: #d6dade; }
    .rst-content table.docutils:not(.field-list) tr:nth-child(2n-1) td { background: transparent; }
    .rst-content table.docutils, .rst-content table.docutils th, .rst-content table.docutils td, hr { border-color: #3a4149 !important; }
    .rst-content img { background: #fff; }
    .btn-neutral { background: #22272d !important; color: #d6dade !important; }
    .wy-menu-vertical li.current, .wy-menu-vertical li.current a, .wy-menu-vertical li.current > a { background: #22272d; color: #d6dade; border-color: #3a4149 !important; }
    .wy-menu-vertical li.current li button.toctree-expand, .wy-menu-vertical li.current > a button.toctree-expand { color: #d6dade; }
    .wy-menu-vertical li.current a:hover { background: #3a4149; }
    footer { color: #8b949e; }
}
"""
SEARCH = """'use strict';
(function () {
    const base = document.currentScript.src.replace(/search\\/main\\.js.*/, '');
    const list = document.getElementById('mkdocs-search-results');
    const query = new URLSearchParams(location.search).get('q');
    const load = (name, then) => {
        const script = document.createElement('script');
        script.src = base + 'search/' + name;
        script.onload = then;
        document.head.append(script);
    };
    const show = () => {
        const plain = html => new DOMParser().parseFromString(html, 'text/html').documentElement.textContent;
        const pages = window.smemprobe_pages.filter(page => page.location.includes('#'));
        const index = lunr(function () {
            this.ref('i');
            this.field('title', {boost: 10});
            this.field('text');
            pages.forEach((page, i) => this.add({i, title: page.title, text: page.text}));
        });
        document.getElementById('mkdocs-search-query').value = query;
        const found = index.search(query.replace(/[^\\p{L}\\p{N} ]+/gu, ' '));
        list.textContent = found.length ? '' : 'Nothing has these words.';
        for (const {ref} of found.slice(0, 50)) {
            const article = document.createElement('article'), head = document.createElement('h3');
            const link = document.createElement('a'), text = document.createElement('p');
            link.href = base + pages[ref].location;
            link.textContent = plain(pages[ref].title);
            text.textContent = plain(pages[ref].text).slice(0, 200);
            head.append(link);
            article.append(head, text);
            list.append(article);
        }
    };
    if (list && query)
        load('lunr.js', () => load('pages.js', show));
})();
"""


def place(path):
    """The URI in the site of a file of the tree; None if it is not part of the site."""
    if path in DOCUMENTS:
        return DOCUMENTS[path]
    if path.startswith("docs/"):
        return path[5:]
    return "pictures/" + posixpath.basename(path) if path.endswith(".png") else None


def source(uri):
    return next((path for path, to in DOCUMENTS.items() if to == uri), "docs/" + uri)


def on_page_content(html, **_):
    """Code that scrolls can be reached by keyboard; an empty head of a table is no head."""
    return html.replace("<pre><code", '<pre><code tabindex="0"').replace("<th></th>", "<td></td>")


def made_pages():
    """The pages that script/docs generates."""
    loader = importlib.machinery.SourceFileLoader("script_docs", str(ROOT / "script/docs"))
    docs = importlib.util.module_from_spec(importlib.util.spec_from_loader("script_docs", loader))
    loader.exec_module(docs)
    program = os.environ["SMP_PROGRAM"]
    return {"reference/commands.md": docs.commands(program), "evidence/coverage.md": docs.coverage(program),
            "reference/c-api.md": docs.c_api(), "reference/python-api.md": docs.python_api()}


def on_files(files, config):
    for uri, text in made_pages().items():
        files.append(File.generated(config, uri, content=text))
    files.append(File.generated(config, "css/smemprobe.css", content=STYLE))
    for path, uri in DOCUMENTS.items():
        files.append(File.generated(config, uri, content=(ROOT / path).read_text(encoding="utf-8")))
    for picture in [ROOT / "plots/page.png", *sorted((ROOT / "plots/gallery").glob("*.png"))]:
        files.append(File.generated(config, "pictures/" + picture.name, abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown, page, **_):
    at = posixpath.dirname(source(page.file.src_uri))

    def link(found):
        mark, text, target, anchor = found.groups()
        if not target or "://" in target:
            return found.group()
        path = posixpath.normpath(posixpath.join(at, target))
        to = place(path)
        if to is None:
            return f"`{path}`" if text.strip("`") in path else f"{text} (`{path}`)"
        return f"{mark}[{text}]({posixpath.relpath(to, posixpath.dirname(page.file.src_uri) or '.')}{anchor or ''})"

    out = LINK.sub(lambda found: link(found) if found.group(3) is not None else found.group(), markdown)
    # GitHub needs bars in code escaped; Python-Markdown shows the escape.
    out = re.sub(r"^\|.*$", lambda row: re.sub(r"`[^`\n]*`", lambda code: code.group().replace("\\|", "|"), row.group()), out, flags=re.M)
    # Python-Markdown, unlike GitHub, needs a blank line between a sentence and its list.
    return re.sub(r"(```.*?^```)|^((?![-\d|#>< ])[^\n]+\n)(?=(?:- |1\. )\S)", lambda found: found.group(1) or found.group(2) + "\n", out, flags=re.M | re.S)


def on_post_build(config):
    search = pathlib.Path(config["site_dir"]) / "search"
    pages = (search / "search_index.json").read_text(encoding="utf-8")
    (search / "pages.js").write_text(f"window.smemprobe_pages = {pages}.docs;\n", encoding="utf-8")
    (search / "main.js").write_text(SEARCH, encoding="utf-8")
