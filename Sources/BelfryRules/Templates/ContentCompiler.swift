import BelfryModel

/// Compiles a content field by field, and gathers its variables and its faults.
struct ContentCompiler {
    let schema: [String: AttributeType]
    private(set) var variables: [TemplateVariable] = []
    private(set) var texts: [ContentText] = []
    private(set) var faults: [TemplateFaults.Fault] = []
    private(set) var defaults: [TemplateVariable: String] = [:]

    private var numbers: [TemplateVariable: Int] = [:]

    init(schema: [String: AttributeType]) {
        self.schema = schema
    }

    mutating func takeDefaults(_ named: [String: String]) {
        for (name, value) in named.sorted(by: { $0.key < $1.key }) {
            do throws(Refusal) {
                let variable = try TemplateVariable(name, schema: schema)
                guard defaults[variable] == nil else {
                    throw Refusal(code: "duplicate", message: "'\(variable)' has two defaults: keep one.")
                }
                guard !value.isEmpty else {
                    throw Refusal(code: "blank", message: "A default cannot be empty: leave it out.")
                }
                defaults[variable] = value
            } catch {
                faults.append(TemplateFaults.Fault(field: "defaults.\(name.prefix(64))", refusal: error))
            }
        }
    }

    /// The content with gaps where a text differs by recipient.
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

    /// The app's own pairs: their texts may be templates.
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
        guard !TextGap.isUsed(in: text) else {
            refuse(field, "invalidCharacter", "A text cannot hold the noncharacters U+FDD0 and U+FDD1.")
            return text
        }
        // An address and HTML without tags are checked as well, an empty text is another's affair.
        if !purpose.isAddress, purpose.htmlPolicy == nil, !TemplateTagReader.mayHoldTags(text) { return text }
        do throws(Refusal) {
            let nodes = try nodes(of: text, purpose, field)
            let template = try TextTemplate(nodes, purpose) { (name) throws(Refusal) in try number(of: name) }
            if let constant = template.constant {
                if purpose == .plain(isNeeded: true), constant.showsNothing {
                    throw Refusal(code: "blank", message: "Without its comments, nothing is left of the text.")
                }
                return constant
            }
            if let index = template.wholeVariable { try checkDefault(of: variables[index], purpose) }
            texts.append(ContentText(field: field, template: template))
            return TextGap.marker(texts.count - 1)
        } catch {
            faults.append(TemplateFaults.Fault(field: field, refusal: error))
            return text
        }
    }

    /// The text as the parser reads it. What is wrong with its HTML is gathered on the way.
    private mutating func nodes(
        of text: String, _ purpose: TextTemplate.Purpose, _ field: String
    ) throws(Refusal) -> [TemplateNode] {
        let nodes: [TemplateNode]
        do {
            nodes = try TemplateParser.parse(text, maximumBytes: purpose.maximumBytes)
        } catch {
            throw error.refusal
        }
        if let policy = purpose.htmlPolicy {
            for refusal in ComposedHTMLCheck.refusals(of: nodes, source: text, policy: policy) {
                faults.append(TemplateFaults.Fault(field: field, refusal: refusal))
            }
        }
        return nodes
    }

    /// A default that stands for a whole address must be one.
    private func checkDefault(of variable: TemplateVariable, _ purpose: TextTemplate.Purpose) throws(Refusal) {
        guard case .url(let rule) = purpose, let text = defaults[variable], let refusal = rule.refusal(of: text) else {
            return
        }
        throw Refusal(code: refusal.code, message: "The default of '\(variable)': \(refusal.message)")
    }

    private mutating func number(of name: String) throws(Refusal) -> Int {
        let variable = try TemplateVariable(name, schema: schema)
        if let number = numbers[variable] { return number }
        variables.append(variable)
        numbers[variable] = variables.count - 1
        return variables.count - 1
    }

    private mutating func refuse(_ field: String, _ code: String, _ message: String) {
        faults.append(TemplateFaults.Fault(field: field, refusal: Refusal(code: code, message: message)))
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
