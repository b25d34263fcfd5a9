import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore

/// What drafts say to a person, saved or not (CON-5).
package struct DraftPreviewer: Sendable {
    let database: any SQLDatabase

    /// What a draft says to a person. It is not checked: what is wrong with its templates, or more than a campaign may
    /// have, is a sentence beside it.
    ///
    /// - Parameter locale: the language to show; nil: that of the person.
    /// - Throws: ``ServiceError/notFound(what:id:code:)`` for a contact that the app does not have.
    package func preview(
        of draft: CampaignDraft, as person: PreviewPerson, locale: String? = nil, app: AppRecord
    ) async throws -> DraftPreview {
        let basis = try await database.glance { connection in
            (
                schema: try connection.attributes.schema(app: app.id),
                allowsScripts: try connection.apps.find(id: app.id)?.settings.allowsInAppScripts ?? false
            )
        }
        let templates = DraftTemplates(draft, allowsScripts: basis.allowsScripts, schema: basis.schema)
        let known = try await lookUp(templates.values, as: person, schema: basis.schema, app: app)
        return templates.preview(
            values: known.values, locale: locale ?? known.locale, allowsScripts: basis.allowsScripts
        )
    }

    /// What a push would say to an invented person: nobody needs to be known yet, and nothing needs to be saved.
    ///
    /// - Returns: the content, with its templates as they are where they cannot be rendered, and then why.
    package func sample(
        of push: PushContent, schema: [String: AttributeType]
    ) async -> (content: PushContent, problem: String?) {
        let content = push.variant(nil)
        do throws(TemplateErrors) {
            let template = try ContentTemplate(content, texts: TextCompiler(schema: schema))
            let values = template.variables.map { InventedPerson.value(of: $0, schema: schema) }
            do throws(RenderError) {
                return (try template.content(for: values), nil)
            } catch {
                return (content, error.sentence)
            }
        } catch {
            return (content, error.errors.first?.error.message)
        }
    }

    /// A person's values, in the order in which they are asked for.
    private func lookUp(
        _ values: [(variable: TemplateVariable, value: RecipientValue)], as person: PreviewPerson,
        schema: [String: AttributeType], app: AppRecord
    ) async throws -> (values: [String?], locale: String?) {
        switch person {
        case .invented(let named):
            let typed = Self.byVariable(named, schema)
            let texts: [String?] = values.map {
                typed[$0.variable] ?? InventedPerson.value(of: $0.variable, schema: schema)
            }
            return (texts, typed[.device(.locale)])
        case .knownBy(let named):
            let typed = Self.byVariable(named, schema)
            return (values.map { typed[$0.variable] }, typed[.device(.locale)])
        case .contact(let key):
            let wanted = values.map(\.value)
            return try await database.read { connection -> (values: [String?], locale: String?) in
                let contact = try AppLookup(connection: connection, app: app.id).contact(key)
                // The newest that a campaign would reach: a dormant one is in no audience (FLEET-2).
                let living = try connection.devices.page(ofContact: contact.id, in: [.living], limit: 1).devices
                if let device = living.first,
                    let recipient = try connection.recipients.find(device.id, app: app.id, values: wanted)
                {
                    return (recipient.values, recipient.locale)
                }
                return (wanted.map { contact.value(of: $0) }, nil)
            }
        }
    }

    /// What was typed for names that templates know; a blank value is none.
    private static func byVariable(
        _ typed: [String: String], _ schema: [String: AttributeType]
    ) -> [TemplateVariable: String] {
        let attributes = KnownAttributes(schema)
        return typed.reduce(into: [:]) { values, entry in
            guard !entry.value.isEmpty, let variable = try? TemplateVariable(entry.key, among: attributes) else {
                return
            }
            values[variable] = entry.value
        }
    }
}

extension ContactRow {
    /// What a template shows of a contact without a device.
    fileprivate func value(of value: RecipientValue) -> String? {
        switch value {
        case .attribute(let name): attributes[name]?.textRead
        case .contactKey: key
        case .party(let part): party.map(part.value)
        case .device: nil
        }
    }
}

/// What a draft says, compiled as far as that is possible.
private struct DraftTemplates {
    private let draft: CampaignDraft
    private var push: PushTemplates?
    private var message: VariantTemplates<MessageCenterTemplate>?
    private var inApp: InAppTemplates?
    /// Why one of them cannot be compiled.
    private var problem: String?
    /// What all of them ask of a person, each once.
    private(set) var values: [(variable: TemplateVariable, value: RecipientValue)] = []

    init(_ draft: CampaignDraft, allowsScripts: Bool, schema: [String: AttributeType]) {
        self.draft = draft
        if let excess = draft.excess {
            problem = excess
            return
        }
        let texts = TextCompiler(schema: schema)
        do throws(TemplateErrors) {
            if !draft.kind.isInApp, draft.kind != .silent, let content = draft.push {
                push = try PushTemplates(content, texts: texts)
            }
            if draft.kind.keepsMessage { message = try MessageCenterTemplates(draft, texts: texts).messages }
            if draft.kind.isInApp, let content = draft.inApp {
                inApp = try InAppTemplates(content, allowsScripts: allowsScripts, texts: texts)
            }
        } catch {
            problem = error.errors.first?.error.message ?? "Its texts cannot be read."
        }
        take(push?.variables, push?.values)
        take(message?.variables, message?.values)
        take(inApp?.variables, inApp?.values)
    }

    private mutating func take(_ variables: [TemplateVariable]?, _ places: [RecipientValue]?) {
        for (variable, value) in zip(variables ?? [], places ?? [])
        where !values.contains(where: { $0.variable == variable }) {
            values.append((variable, value))
        }
    }

    func preview(values known: [String?], locale: String?, allowsScripts: Bool) -> DraftPreview {
        let named = Dictionary(zip(values.map(\.variable), known)) { first, _ in first }
        var preview = DraftPreview(
            values: zip(values, known).map { DraftPreview.Value(name: $0.variable.description, text: $1) },
            locale: locale, variant: key(for: locale), allowsScripts: allowsScripts, problem: problem
        )
        func own(_ variables: [TemplateVariable]) -> [String?] { variables.map { named[$0] ?? nil } }
        if !draft.kind.isInApp, draft.kind != .silent {
            preview.push = said(draft.push?.variant(preview.variant), &preview.problem) { () throws(RenderError) in
                guard let push else { return nil }
                return try push.preview(of: push.variant(for: locale), values: own(push.variables))
            }
        }
        if draft.kind.keepsMessage {
            preview.message = said(KeptMessages(draft).message(locale), &preview.problem) {
                () throws(RenderError) in
                guard let message else { return nil }
                return try message.render(message.variant(for: locale), values: own(message.variables))
            }
            preview.message?.center = draft.messageCenter?.center
        }
        if draft.kind.isInApp {
            preview.inApp = said(draft.inApp?.variant(preview.variant).content, &preview.problem) {
                () throws(RenderError) in
                guard let inApp else { return nil }
                return try inApp.render(inApp.variant(for: locale), values: own(inApp.variables))
            }
            preview.inApp?.leaveOutBlankTexts()
        }
        return preview
    }

    /// The variant that a person of this language gets.
    private func key(for locale: String?) -> String? {
        if let variants = draft.inApp?.variants { return LocaleMatch.best(of: variants.keys, for: locale) }
        let locales = (draft.push?.variants ?? [:]).keys.map(\.self)
        let own = draft.kind.keepsMessage ? (draft.messageCenter?.variants ?? [:]).keys.map(\.self) : []
        return LocaleMatch.best(of: locales, for: locale) ?? LocaleMatch.best(of: own, for: locale)
    }

    /// What can be rendered, else what stands there.
    private func said<Content>(
        _ plain: Content?, _ problem: inout String?, _ render: () throws(RenderError) -> Content?
    ) -> Content? {
        do throws(RenderError) {
            return try render() ?? plain
        } catch {
            problem = problem ?? error.sentence
            return plain
        }
    }
}
