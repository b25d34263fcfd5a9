import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// A change of the schema of an app's attributes.
struct AttributeSchemaChange: Hashable, Sendable {
    /// New attributes, and attributes that get another type.
    var defined: [AttributeKey: AttributeType] = [:]
    var removed: AttributeKey?

    func applied(to schema: [String: AttributeType]) -> [String: AttributeType] {
        var result = schema
        for (key, type) in defined { result[key.rawValue] = type }
        if let removed { result[removed.rawValue] = nil }
        return result
    }

    /// Whether an attribute that campaigns may use is removed or gets another type.
    func affects(_ schema: [String: AttributeType]) -> Bool {
        let result = applied(to: schema)
        return schema.contains { result[$0.key] != $0.value }
    }
}

/// An app's attributes before and after a change of types or a removal. It finds the campaigns that forbid the change,
/// because they would end unsent and nobody would know why (REG-25, CAMP-3).
struct AttributeTypeChange: Hashable, Sendable {
    let before: [String: AttributeType]
    let after: [String: AttributeType]

    /// The error that the change would cause in a campaign. Errors that the campaign has already do not count.
    ///
    /// It is asynchronous, though it waits for nothing, so that no transaction can compile a campaign.
    func error(of draft: CampaignDraft) async -> FieldError? {
        let errors = Self.errors(of: draft, schema: after)
        guard !errors.isEmpty else { return nil }
        let known = Set(Self.errors(of: draft, schema: before))
        return errors.first { !known.contains($0) }
    }

    /// The message of a refusal: why, and what to do about it.
    ///
    /// - Parameter removes: whether the attribute is to be removed.
    static func sentence(_ error: FieldError, of campaign: Campaign, removes: Bool) -> String {
        let advice =
            if campaign.launchedAt == nil || (campaign.draft.kind.isInApp && campaign.endedAt == nil) {
                "Cancel the campaign first, or keep the \(removes ? "attribute" : "type")."
            } else if removes {
                "It is being sent. Try again when that is done, or cancel the campaign first."
            } else {
                "Its audience is being selected. Try again when that is done."
            }
        return """
            Campaign \(campaign.id) ('\(campaign.draft.name)') is \(campaign.status.rawValue) and could not be sent \
            \(removes ? "without the attribute" : "with this type"). \(error.field): \(error.error.message) \(advice)
            """
    }

    private static func errors(of draft: CampaignDraft, schema: [String: AttributeType]) -> [FieldError] {
        // The errors depend on no time zone and on no date.
        let context = ConditionContext(schema: schema, zone: .gmt, now: Date(timeIntervalSince1970: 0))
        return draft.audience.errors(in: context).map(\.inAudience) + templateErrors(of: draft, schema: schema)
    }

    private static func templateErrors(of draft: CampaignDraft, schema: [String: AttributeType]) -> [FieldError] {
        let texts = TextCompiler(schema: schema)
        let ofPush = errors(in: "push") { () throws(TemplateErrors) in
            if let content = draft.push { _ = try PushTemplates(content, texts: texts) }
        }
        let ofMessage = errors(in: "messageCenter") { () throws(TemplateErrors) in
            if draft.kind.keepsMessage { _ = try MessageCenterTemplates(draft, texts: texts) }
        }
        let ofInApp = errors(in: "inApp") { () throws(TemplateErrors) in
            // Whether a message may contain script does not depend on a type.
            if let message = draft.inApp { _ = try InAppTemplates(message, allowsScripts: true, texts: texts) }
        }
        return ofPush + ofMessage + ofInApp
    }

    private static func errors(in place: String, _ compile: () throws(TemplateErrors) -> Void) -> [FieldError] {
        do throws(TemplateErrors) {
            try compile()
            return []
        } catch {
            return error.errors.map { FieldError(field: "\(place).\($0.field)", error: $0.error) }
        }
    }
}

/// The result of checking a change of the schema against the waiting campaigns, before the transaction that makes it.
struct AttributeSchemaCheck: Sendable {
    /// The schema has changed since the check, or a campaign is waiting that was not checked.
    struct Outdated: Error {}

    let change: AttributeSchemaChange
    /// The app's attributes before the change.
    let schema: [String: AttributeType]
    /// The checked version of each campaign. A waiting campaign is not edited, except for an in-app message, whose
    /// version grows.
    let versions: [Int64: Int]

    /// Throws ``Outdated`` if the campaigns or attributes have changed; runs in the transaction that makes the change.
    func verify(app: Int64, in connection: any SQLConnection) throws {
        guard try connection.attributes.schema(app: app) == schema else { throw Outdated() }
        for id in try connection.campaigns.dependent(on: change, app: app) {
            guard let campaign = try connection.campaigns.readable(id) else { continue }
            guard versions[id] == campaign.inAppVersion else { throw Outdated() }
        }
    }
}

extension AppService {
    /// Checks whether every campaign that depends on the change remains valid with it; throws if one does not. Drafts
    /// are not checked, because their launch checks them.
    func check(_ change: AttributeSchemaChange, app: AppRecord) async throws -> AttributeSchemaCheck {
        let (schema, dependent) = try await database.read { connection in
            let schema = try connection.attributes.schema(app: app.id)
            return (
                schema, change.affects(schema) ? try connection.campaigns.dependent(on: change, app: app.id) : []
            )
        }
        let types = AttributeTypeChange(before: schema, after: change.applied(to: schema))
        var versions: [Int64: Int] = [:]
        for id in dependent {
            guard let campaign = try await database.read({ try $0.campaigns.readable(id) }) else { continue }
            versions[id] = campaign.inAppVersion
            guard let error = await types.error(of: campaign.draft) else { continue }
            let sentence = AttributeTypeChange.sentence(error, of: campaign, removes: change.removed != nil)
            throw ServiceError.conflict(message: sentence)
        }
        return AttributeSchemaCheck(change: change, schema: schema, versions: versions)
    }
}

extension CampaignRepository {
    /// The campaigns that a change may break: those whose audience is still to be selected. If no attribute is given,
    /// also those that are being sent, because their texts are compiled for each batch.
    fileprivate func dependent(on change: AttributeSchemaChange, app: Int64) throws -> [Int64] {
        try change.removed == nil ? waiting(app: app) : unfinished(app: app)
    }

    /// Nil for a campaign that cannot be read: it will fail, whatever the type is.
    fileprivate func readable(_ id: Int64) throws -> Campaign? {
        do {
            return try CampaignID(id).flatMap(find)?.campaign
        } catch let error where error.meansUnreadable {
            return nil
        }
    }
}
