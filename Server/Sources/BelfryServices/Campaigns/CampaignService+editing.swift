import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// Which state of a draft somebody has looked at: two drafts that say the same have the same version.
package struct DraftVersion: Hashable, Sendable {
    package let text: String

    package init(text: String) {
        self.text = text
    }

    package init(_ draft: CampaignDraft) throws {
        let digest = SHA256.hash(data: Data(try JSONText.encode(draft).utf8))
        text = Base64URL.encode(Array(digest.prefix(12)))
    }
}

/// Drafts that people edit in the console (CON-5).
extension CampaignService {
    /// Saves a draft, unless it has changed since the editor began: nobody's change is lost.
    ///
    /// - Parameters:
    ///   - version: what the editor began from.
    ///   - editor: as with ``create(_:by:app:)``.
    package func saveDraft(
        _ id: CampaignID, as draft: CampaignDraft, from version: DraftVersion, by editor: Author? = nil, app: AppRecord
    ) async throws -> Campaign {
        try await checking(app: app) { _ in
            draft
        } write: { result in
            _ = try result?.checked
            return try await change(id, app: app, by: editor) { connection, row, _ in
                try Self.requireDraft(row.campaign, at: version)
                row.campaign.draft = try CampaignCheckResult.checked(draft, by: result, app: app.id, in: connection)
            }
        }
    }

    /// Throws when a draft is no longer what somebody has looked at.
    package static func requireDraft(_ campaign: Campaign, at version: DraftVersion) throws {
        guard campaign.status == .draft else {
            throw ServiceError.conflict(
                code: "noDraft", message: "Campaign \(campaign.id) is \(campaign.status.rawValue), not a draft."
            )
        }
        guard try DraftVersion(campaign.draft) == version else {
            throw ServiceError.conflict(
                code: "draftChanged", message: "Somebody else has changed this draft since you opened it."
            )
        }
    }

    /// A new draft that says the same. A time that has passed is left out.
    package func duplicate(_ id: CampaignID, by editor: Author? = nil, app: AppRecord) async throws -> Campaign {
        let now = environment.now()
        var draft = try await campaign(id, app: app).draft
        draft.name = String("Copy of \(draft.name)".prefix(CampaignCheck.maximumNameLength))
        if let at = draft.schedule?.at, at <= now { draft.schedule?.at = nil }
        if let end = draft.schedule?.expiresAt, end <= now { draft.schedule?.expiresAt = nil }
        return try await create(draft, by: editor, app: app)
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
}

/// Whom previews show when nobody is chosen.
enum InventedPerson {
    static func value(of variable: TemplateVariable, schema: [String: AttributeType]) -> String {
        switch variable {
        case .attribute(let name):
            switch schema[name] {
            case .number: "3"
            case .boolean: "true"
            case .date: "2026-12-01T09:00:00.000Z"
            case .string, nil: name.lowercased().utf8.suffix(4).elementsEqual("name".utf8) ? "Ann" : name
            }
        case .contactKey: "ann@example.com"
        case .party(let part): part == .type ? "PERSON" : part == .name ? "EMAIL" : "ann@example.com"
        case .device(let property):
            switch property {
            case .platform: "ios"
            case .osVersion: "18.2"
            case .appVersion: "1.0"
            case .sdkVersion: "1.0.0"
            case .deviceModel: "iPhone"
            case .locale: "en"
            case .timeZone: "Europe/Paris"
            }
        }
    }
}
