import BelfryModel

extension ContentCompiler {
    /// The content with placeholders where a text differs by recipient. The fields of errors are relative to the
    /// content.
    mutating func compile(_ content: InAppContent, _ policy: HTMLPolicy) -> InAppContent {
        var content = content
        content.title = compile(content.title, .plain(isNeeded: false), "title")
        content.body = compile(content.body, .plain(isNeeded: false), "body")
        content.imageUrl = compile(content.imageUrl, .url(.secure), "imageUrl")
        content.imageAlt = compile(content.imageAlt, .plain(isNeeded: false), "imageAlt")
        content.html = compile(content.html, .html(policy), "html")
        content.action = content.action.map { compile($0, "action") }
        for (index, button) in (content.buttons ?? []).enumerated() {
            let field = "buttons[\(index)]"
            content.buttons?[index].text = compile(button.text, .plain(isNeeded: true), "\(field).text")
            content.buttons?[index].action = compile(button.action, "\(field).action")
        }
        for (index, action) in (content.actions ?? []).enumerated() {
            content.actions?[index] = compile(action, "actions[\(index)]")
        }
        return content
    }

    private mutating func compile(_ action: InAppAction, _ field: String) -> InAppAction {
        var action = action
        action.url = compile(action.url, .url(.link), "\(field).url")
        return action
    }
}

extension InAppContent {
    /// The content with each of the texts that may be templates replaced.
    func replacingTexts(_ replace: (String) -> String) -> InAppContent {
        func replaced(_ action: InAppAction) -> InAppAction {
            var action = action
            action.url = action.url.map(replace)
            return action
        }
        var content = self
        content.title = title.map(replace)
        content.body = body.map(replace)
        content.imageUrl = imageUrl.map(replace)
        content.imageAlt = imageAlt.map(replace)
        content.html = html.map(replace)
        content.action = action.map(replaced)
        content.buttons = buttons?.map {
            InAppButton(id: $0.id, text: replace($0.text), action: replaced($0.action))
        }
        content.actions = actions?.map(replaced)
        return content
    }
}
