import BelfryModel
import BelfryWire
import Foundation

@testable import Belfry

/// In-app messages (WIRE-9). The responses are spelled out here and not by the types of the wire, so that a mistake in
/// those is found.
extension FakeServer {
    static let fetchInApp = "GET /client/in-app-messages"

    /// The id of a message: one per campaign and device.
    static func messageID(of campaign: Int, client: String) -> String {
        "message-\(campaign)-\(client.lowercased().prefix(8))"
    }

    // MARK: - What tests script

    /// Another device registers the token.
    func loseToken() {
        pushToken = nil
        hasLostToken = true
    }

    /// A marketer publishes a message: by default a modal one, shown once, at the event `cart:add`.
    ///
    /// - Returns: the campaign's number.
    @discardableResult
    func publish(_ change: @Sendable (inout FakeInApp.Campaign) -> Void = { _ in }) -> Int {
        var campaign = FakeInApp.Campaign()
        change(&campaign)
        return inApp.publish(campaign)
    }

    func edit(
        _ campaign: Int,
        resetsDisplays: Bool = false,
        _ change: @Sendable (inout FakeInApp.Campaign) -> Void = { _ in }
    ) {
        inApp.edit(campaign, resetsDisplays: resetsDisplays, change)
    }

    func deleteCampaign(_ campaign: Int) {
        inApp.delete(campaign)
    }

    func recall(_ campaign: Int) {
        inApp.recall(campaign)
    }

    /// The events of a name, in the order in which they came.
    func inAppEvents(_ name: EventName) -> [StoredEvent] {
        events.filter { $0.name == name.rawValue }
    }

    // MARK: - The device API

    func inAppAnswer(to request: Request, of client: String) -> TransportResponse {
        let contact = contacts[client] ?? ""
        let now = clock.now.addingTimeInterval(clockAhead)
        let since = request.query["since"].flatMap(Self.held)
        let difference = inApp.sync(since: since, client: client, contact: contact, now: now)
        var answer: [String: Any] = [
            "cursor": Self.cursor(difference.held),
            "messages": difference.new.map { message($0, client: client, contact: contact) },
            "recalled": difference.recalled.map { Self.messageID(of: $0, client: client) },
        ]
        if let result {
            let rejected = result.rejected.map { ["field": $0.field, "reason": $0.reason, "message": $0.message] }
            let registration: [String: Any] = ["revision": Int(result.revision), "rejected": rejected]
            answer["registration"] = registration
        }
        if hasLostToken { answer["pushTokenNeeded"] = true }
        let body = try? JSONSerialization.data(withJSONObject: answer)
        return TransportResponse(status: 200, body: body ?? Data())
    }

    /// An event that reports a display is counted (IAM-4).
    func noticeDisplay(_ event: StoredEvent, by client: String) {
        guard event.name == EventName.inAppViewed.rawValue,
            case .string(let text)? = event.attributes["campaignId"], let campaign = Int(text),
            case .number(let version)? = event.attributes["version"]
        else { return }
        inApp.displayed(
            FakeInApp.Display(client: client, contact: event.contact, campaign: campaign, version: Int(version)))
    }

    private func message(_ number: Int, client: String, contact: String) -> [String: Any] {
        guard let campaign = inApp.campaigns[number] else { return [:] }
        var message: [String: Any] = [
            "id": Self.messageID(of: number, client: client),
            "version": campaign.version,
            "campaignId": String(number),
            "type": campaign.type,
            "priority": campaign.priority,
            "displayLimit": campaign.displayLimit,
            "displayEpoch": campaign.displayEpoch,
            "delaySeconds": campaign.delaySeconds,
            "content": Self.object(campaign.content),
        ]
        message["trigger"] = campaign.trigger.map(Self.object)
        message["viewId"] = campaign.viewID
        message["startsAt"] = campaign.startsAt.map(Timestamp.text)
        message["endsAt"] = campaign.endsAt.map(Timestamp.text)
        let displays = inApp.displayCount(of: number, client: client, contact: contact)
        if displays > 0 { message["displayCount"] = displays }
        return message
    }

    private static func object(_ json: String) -> Any {
        (try? JSONSerialization.jsonObject(with: Data(json.utf8))) ?? [:]
    }

    /// Safe in an address: the bytes in hexadecimal.
    private static func cursor(_ held: FakeInApp.Held) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = (try? encoder.encode(held)) ?? Data()
        return bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    }

    /// - Returns: nil if it is not a cursor.
    private static func held(_ cursor: String) -> FakeInApp.Held? {
        let digits = Array(cursor)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        return try? JSONDecoder().decode(FakeInApp.Held.self, from: Data(bytes))
    }
}
