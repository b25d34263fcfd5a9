import BelfryModel
import BelfryPush
import BelfryRules
import BelfryStore
import Foundation

/// An app's attributes before and after one of them changes its type, and which campaigns forbid that: those that would
/// end without having been sent, and nobody would know why (REG-25, CAMP-3).
struct AttributeTypeChange: Hashable, Sendable {
    let before: [String: AttributeType]
    let after: [String: AttributeType]

    /// What would be wrong with a campaign by the change. What is wrong with it already is none of the change's doing.
    func fault(of draft: CampaignDraft) -> FieldRefusal? {
        let known = Set(Self.faults(of: draft, schema: before))
        return Self.faults(of: draft, schema: after).first { !known.contains($0) }
    }

    /// Why the change is refused, and what to do about it.
    static func sentence(_ fault: FieldRefusal, of campaign: Campaign) -> String {
        let advice =
            campaign.launchedAt == nil || (campaign.draft.kind.isInApp && campaign.endedAt == nil)
            ? "Cancel the campaign first, or keep the type."
            : "Its audience is being selected: try again when that is done."
        return """
            Campaign \(campaign.id) ('\(campaign.draft.name)') is \(campaign.status.rawValue), and could not be sent with \
            this type. \(fault.field): \(fault.refusal.message) \(advice)
            """
    }

    private static func faults(of draft: CampaignDraft, schema: [String: AttributeType]) -> [FieldRefusal] {
        // Which faults there are depends on no zone and on no moment.
        let context = ConditionContext(schema: schema, zone: .gmt, now: Date(timeIntervalSince1970: 0))
        return draft.audience.faults(in: context).map(\.inAudience) + templateFaults(of: draft, schema: schema)
    }

    private static func templateFaults(of draft: CampaignDraft, schema: [String: AttributeType]) -> [FieldRefusal] {
        let ofPush = faults(in: "push") { () throws(TemplateFaults) in
            if let content = draft.push { _ = try CampaignTemplates(content, schema: schema) }
        }
        let ofMessage = faults(in: "messageCenter") { () throws(TemplateFaults) in
            if draft.kind.keepsMessage { _ = try CenterTemplates(draft, schema: schema) }
        }
        let ofInApp = faults(in: "inApp") { () throws(TemplateFaults) in
            // Whether script may stand in it does not turn on a type.
            if let message = draft.inApp { _ = try InAppTemplates(message, schema: schema, allowsScripts: true) }
        }
        return ofPush + ofMessage + ofInApp
    }

    private static func faults(in place: String, _ compile: () throws(TemplateFaults) -> Void) -> [FieldRefusal] {
        do throws(TemplateFaults) {
            try compile()
            return []
        } catch {
            return error.faults.map { FieldRefusal(field: "\(place).\($0.field)", refusal: $0.refusal) }
        }
    }
}

extension SQLConnection {
    /// Refuses a change that a campaign of the app cannot do without. Drafts can: the launch checks them again.
    func check(_ change: AttributeTypeChange, app: Int64) throws {
        for id in try campaigns.waiting(app: app) {
            let row: CampaignRow?
            do {
                row = try CampaignID(id).flatMap(campaigns.find)
            } catch let error where error.meansUnreadable {
                // It will be set aside, whatever the type.
                continue
            }
            guard let campaign = row?.campaign, let fault = change.fault(of: campaign.draft) else { continue }
            throw ServiceError.conflict(message: AttributeTypeChange.sentence(fault, of: campaign))
        }
    }
}
