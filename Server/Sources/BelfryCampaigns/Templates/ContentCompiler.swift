import BelfryModel
import BelfryServerModel

/// Compiles a content field by field, and collects its variables and errors.
struct ContentCompiler {
    let defaults: [TemplateVariable: String]
    private(set) var variables = VariableNumbers()
    private(set) var texts: [ContentText] = []
    private(set) var errors: [TemplateErrors.FieldError]

    private let compiler: TextCompiler

    /// - Parameter compiler: shared by all variants of the content.
    init(defaults named: [String: String]?, _ compiler: TextCompiler) {
        let compiled = compiler.compile(named ?? [:])
        defaults = compiled.values
        errors = compiled.errors
        self.compiler = compiler
    }

    /// The content with placeholders where a text differs by recipient.
    mutating func compile(_ content: PushContent) -> PushContent {
        var content = content
        content.variants = nil
        content.defaults = nil
        content.title = compile(content.title, .plain(isNeeded: true), "title")
        content.subtitle = compile(content.subtitle, .plain(isNeeded: false), "subtitle")
        content.body = compile(content.body, .plain(isNeeded: true), "body")
        content.imageUrl = compile(content.imageUrl, .url(.secure), "imageUrl")
        content.action = compile(content.action, "action")
        for index in (content.buttons ?? []).indices {
            let field = "buttons[\(index)]"
            let button = content.buttons?[index]
            guard let button else { continue }
            content.buttons?[index].text = compile(button.text, .plain(isNeeded: true), "\(field).text")
            content.buttons?[index].action = compile(button.action, "\(field).action")
        }
        content.custom = compile(content.custom)
        return content
    }

    /// The app's own key-value pairs with placeholders: their texts may be templates.
    mutating func compile(_ custom: [String: AttributeValue]?) -> [String: AttributeValue]? {
        guard var custom else { return nil }
        for (key, value) in custom.sorted(by: { $0.key < $1.key }) {
            guard case .string(let text) = value else { continue }
            custom[key] = .string(compile(text, .plain(isNeeded: false), "custom.\(key.prefix(64))"))
        }
        return custom
    }

    private mutating func compile(_ action: NotificationAction?, _ field: String) -> NotificationAction? {
        guard var action else { return nil }
        action.url = compile(action.url, .url(action.type == .openRichMessage ? .secure : .link), "\(field).url")
        return action
    }

    mutating func compile(_ text: String?, _ purpose: TextTemplate.Purpose, _ field: String) -> String? {
        text.map { compile($0, purpose, field) }
    }

    mutating func compile(_ text: String, _ purpose: TextTemplate.Purpose, _ field: String) -> String {
        let compiled = compiler.compile(text, purpose)
        errors += compiled.htmlErrors.map { TemplateErrors.FieldError(field: field, error: $0) }
        switch compiled.form {
        case .constant(let constant):
            return constant
        case .template(let template, let own, let written):
            if let index = template.wholeVariable, let error = defaultError(of: own[index], purpose) {
                errors.append(TemplateErrors.FieldError(field: field, error: error))
                return text
            }
            let places = own.map { variables.number(of: $0) }
            texts.append(
                ContentText(
                    field: field, template: template, variables: own, written: written,
                    defaults: own.map { defaults[$0] }, places: places.elementsEqual(places.indices) ? nil : places
                )
            )
            return TextPlaceholder.marker(texts.count - 1)
        case .rejected(let error):
            errors.append(TemplateErrors.FieldError(field: field, error: error))
            return text
        }
    }

    /// The error of a default value. If the variable is a whole address, its default must be an address.
    private func defaultError(of variable: TemplateVariable, _ purpose: TextTemplate.Purpose) -> ValueError? {
        guard case .url(let rule) = purpose, let text = defaults[variable],
            let error = compiler.error(ofAddress: text, rule)
        else { return nil }
        return ValueError(code: error.code, message: "The default of '\(variable)': \(error.message)")
    }
}

extension PushContent {
    /// The content with each of the texts that may be templates replaced.
    func replacingTexts(_ replace: (String) -> String) -> PushContent {
        func replaced(_ action: NotificationAction?) -> NotificationAction? {
            action.map { NotificationAction(type: $0.type, url: $0.url.map(replace)) }
        }
        var content = self
        content.title = replace(title)
        content.subtitle = subtitle.map(replace)
        content.body = replace(body)
        content.imageUrl = imageUrl.map(replace)
        content.action = replaced(action)
        content.buttons = buttons?.map {
            NotificationButton(id: $0.id, text: replace($0.text), action: replaced($0.action))
        }
        content.custom = custom?.mapValues { $0.replacingText(replace) }
        return content
    }
}
