import BelfryTestSupport

/// The in-app campaigns of a scenario, for an SDK that decides on the device (WIRE-9).
struct ScenarioInApp: Sendable {
    private struct Campaign: Sendable {
        let id: String
        let event: String
        /// Attributes that the event must have.
        let conditions: [String: JSONValue]
        let displayLimit: Double
    }

    private var campaigns: [Campaign] = []
    /// Those of campaigns that are gone.
    private var recalled: [String] = []
    private var version = 1

    init() {}

    init(_ json: JSONValue) throws(ScenarioError) {
        for campaign in json.array ?? [] {
            var fields = try Fields(campaign, "an in-app campaign")
            campaigns.append(
                Campaign(
                    id: try fields.text("campaignId"), event: try fields.text("event"),
                    conditions: fields.take("where")?.object ?? [:],
                    displayLimit: fields.take("displayLimit")?.number ?? 1
                )
            )
            try fields.finish()
        }
    }

    mutating func become(_ other: ScenarioInApp) {
        let present = Set(other.campaigns.map(\.id))
        recalled += campaigns.map(\.id).filter { !present.contains($0) }
        campaigns = other.campaigns
        version += 1
    }

    /// What has changed since a cursor.
    func sync(since cursor: String?) -> JSONValue {
        let present = "cursor-\(version)"
        let isNew = cursor != present
        return .object([
            "cursor": .string(present), "messages": .array(isNew ? campaigns.map(Self.message) : []),
            "recalled": .array(isNew ? recalled.map { .string(Self.messageID($0)) } : []),
        ])
    }

    /// The displays, clicks and ends among these events.
    static func reports(in events: [JSONValue]) -> [JSONValue] {
        events.filter { ["inapp:viewed", "inapp:click", "inapp:dismiss"].contains($0["name"]?.text) }
            .map { .object(["name": $0["name"] ?? .null, "attributes": $0["attributes"] ?? .null]) }
    }

    private static func messageID(_ campaign: String) -> String { "message-\(campaign)" }

    private static func message(_ campaign: Campaign) -> JSONValue {
        var trigger: [String: JSONValue] = ["event": .string(campaign.event)]
        let conditions = campaign.conditions.map { name, value in
            JSONValue.object(["attribute": .string(name), "op": .string("=="), "value": value])
        }
        if !conditions.isEmpty { trigger["where"] = .object(["all": .array(conditions)]) }
        let button: [String: JSONValue] = [
            "id": .string("go"), "text": .string("Go"), "action": .object(["type": .string("close")]),
        ]
        let content: [String: JSONValue] = ["title": .string("Hello"), "buttons": .array([.object(button)])]
        return .object([
            "id": .string(messageID(campaign.id)), "version": .number(1), "campaignId": .string(campaign.id),
            "type": .string("modal"), "priority": .number(999), "displayLimit": .number(campaign.displayLimit),
            "displayEpoch": .number(0), "delaySeconds": .number(0), "content": .object(content),
            "trigger": .object(trigger),
        ])
    }
}
