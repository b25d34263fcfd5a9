import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation

/// A device that stores its in-app messages as an SDK does (IAM-3, IAM-11).
struct InAppPhone: Sendable {
    var device: ServiceDevice
    var cursor: String?
    private(set) var messages: [CampaignID: OutgoingInAppMessage] = [:]
    private var events = 0

    init(_ device: ServiceDevice) {
        self.device = device
    }

    private var world: ServiceWorld { device.world }

    /// The versions of the messages that it has.
    var versions: [CampaignID: Int] { messages.mapValues(\.version) }

    /// Asks what is new.
    ///
    /// - Parameter isLost: whether the response comes to nobody.
    @discardableResult
    mutating func sync(isLost: Bool = false) async throws -> InAppSync {
        let response = try await world.inApp.sync(since: cursor, for: device.authenticated()).value
        guard !isLost else { return response }
        cursor = response.cursor
        for message in response.messages { messages[message.campaign] = message }
        for id in response.recalled { messages = messages.filter { $0.value.id != id } }
        return response
    }

    /// What one look says when nothing can have changed; nil when there is more to do than that (PERF-7).
    func quickAnswer() async throws -> InAppSync? {
        let (cursor, caller) = (cursor, try device.authenticated())
        return try await withCheckedThrowingContinuation { continuation in
            world.inApp.sync(since: cursor, for: caller) { continuation.resume(with: $0) }
        }?.value
    }

    /// Removes what its contact has not to see: somebody else has the device now.
    mutating func purge() {
        messages = [:]
    }

    /// Removes those whose time is over.
    mutating func removeEnded() {
        messages = messages.filter { !$0.value.draft.hasEnded(by: world.clock.now) }
    }

    /// Reports what became of a message, by an event with an id of its own.
    mutating func report(
        _ name: EventName, _ campaign: CampaignID, _ attributes: [String: AttributeValue] = [:], id: String? = nil
    ) async throws {
        events += 1
        var all: [String: AttributeValue] = [
            "campaignId": .string(campaign.description),
            "messageId": .string(MessageID.make(campaign: campaign, device: device.client).text),
        ]
        all["version"] = messages[campaign].map { .number(Double($0.version)) }
        all.merge(attributes) { $1 }
        try await device.trackWhole(name, all, id: id ?? "in-app-\(events)")
    }
}

extension ServiceDevice {
    /// An event of the SDK with its attributes.
    func trackWhole(
        _ name: EventName, _ attributes: [String: AttributeValue], id: String, kind: Event.Kind = .internal,
        reference: String? = nil
    ) async throws {
        let event = Event(
            id: try EventID(id), kind: kind, name: name, timestamp: world.clock.now,
            attributes: try JSONText.encode(attributes), contactReference: reference ?? contactReference
        )
        _ = try await world.events.store([event], caller: try authenticated())
    }
}

extension ServiceWorld {
    var inApp: InAppService { InAppService(database: database, keys: keys, environment: environment) }

    /// A modal at the start of a session.
    static func modal(_ title: String = "Sale", endsAt: Date? = nil) -> InAppDraft {
        InAppDraft(
            type: .modal, trigger: InAppTrigger(event: "session:start"), endsAt: endsAt,
            content: InAppContent(title: title, body: "Only today")
        )
    }

    /// An in-app campaign that is active.
    func offer(_ message: InAppDraft = modal(), audience: Condition = .everyone) async throws -> CampaignID {
        let draft = CampaignDraft(name: "Sale", kind: .inApp, audience: audience, inApp: message)
        let id = try await campaigns.drafts.create(draft, app: app).id
        _ = try await campaigns.life.launch(id, app: app)
        return id
    }

    /// Publishes a campaign again.
    func edit(
        _ id: CampaignID, resetDisplays: Bool = false, _ change: (inout CampaignDraft) -> Void
    ) async throws {
        var draft = try await campaign(id).draft
        change(&draft)
        _ = try await campaigns.drafts.update(id, with: draft, resetDisplays: resetDisplays, app: app)
    }

    /// Writes the audiences of in-app campaigns into the ledger, and ends what is over.
    func planInAppCampaigns() async throws {
        let planner = inAppPlanner()
        try await planner.completeEnded()
        while try await planner.planNext() {}
        while try await planner.closeNext() {}
    }

    func explanation(_ id: CampaignID, _ device: ServiceDevice) async throws -> Explanation {
        try await explainer.explain(id, device: device.client.rawValue, app: app)
    }

    /// What the server knows of a device's copy for the contact that it has now.
    func copy(_ id: CampaignID, _ device: ServiceDevice) async throws -> InAppDeviceStateRow? {
        guard let contact = try await profile(device).contact?.id else { return nil }
        let number = try await profile(device).device.id
        return try await database.read { try $0.inAppDeviceStates.find(campaign: id, device: number, contact: contact) }
    }
}
