import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore

/// Previews drafts for a person, whether they are saved or not (CON-5).
package struct DraftPreviewer: Sendable {
    let database: any SQLDatabase

    /// A draft as a person would see it. The draft is not checked: an error of its templates, or an exceeded limit,
    /// becomes the preview's ``DraftPreview/problem``.
    ///
    /// - Parameter locale: the language to show; nil for the person's own.
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

    /// A push as an invented person would see it. Nothing needs to be saved, and no contact needs to exist.
    ///
    /// - Returns: the content, with unrendered templates where they cannot be rendered, and then the reason.
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

    /// A person's values, in the order of the variables.
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
                // The newest living device: a campaign does not reach a dormant one (FLEET-2).
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

    /// The typed values by variable. Names that no template can use and blank values are left out.
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
    /// The value of a variable for a contact without a device.
    fileprivate func value(of value: RecipientValue) -> String? {
        switch value {
        case .attribute(let name): attributes[name]?.textRead
        case .contactKey: key
        case .party(let part): party.map(part.value)
        case .device: nil
        }
    }
}

/// The templates of a draft, compiled as far as possible.
private struct DraftTemplates {
    private let draft: CampaignDraft
    private var push: PushTemplates?
    private var message: VariantTemplates<MessageCenterTemplate>?
    private var inApp: InAppTemplates?
    /// Why a template cannot be compiled; nil if all can.
    private var problem: String?
    /// The values that all templates use, each once.
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

    /// The key of the variant that a person with this language gets.
    private func key(for locale: String?) -> String? {
        if let variants = draft.inApp?.variants { return LocaleMatch.best(of: variants.keys, for: locale) }
        let locales = (draft.push?.variants ?? [:]).keys.map(\.self)
        let own = draft.kind.keepsMessage ? (draft.messageCenter?.variants ?? [:]).keys.map(\.self) : []
        return LocaleMatch.best(of: locales, for: locale) ?? LocaleMatch.best(of: own, for: locale)
    }

    /// The rendered content, or the unrendered one if rendering fails.
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
