import Belfry
import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation

/// The story that the demonstration tells, step by step. It uses only the public ways in: the device API through the
/// SDK, and the admin API.
package struct DemoStory: Sendable {
    /// Seconds: between two checks, the longest that a step may wait, and the most that one check counts towards that.
    private static let glance = 0.05
    private static let patience = 120.0
    private static let longestLook = 1.0

    let admin: AdminClient
    let credentials: DemoCredentials
    let world: DemoWorld
    let fleet: Fleet
    let environment: DeviceEnvironment
    /// Tells people what happens.
    let say: @Sendable (String) -> Void

    /// Tells the whole story. Returns the report and the campaign's id.
    func run() async throws -> (report: DemoReport, campaign: String) {
        try await setUp()
        let killed = fleet.devices.filter(\.behaviour.isKilled).map(\.index)
        let phones = try DemoPhones.start(killed, with: world)
        say(
            "\(fleet.devices.count) devices start, \(killed.count) of them outside of this process, in \(phones.count) others."
        )
        defer { for phone in phones { phone.end() } }
        let ids = try await startDevices(phones)
        let registered = try await registeredDevices(ids)
        var people = DemoPeople(loggedIn: try await logIn(ids))
        say("\(registered.count) devices are registered, and \(people.loggedIn.count) people have logged in.")
        try await fleet.each(where: { !$0.isKilled }) { try await $0.leave() }
        people.killed = try await kill(phones, ids)
        say("\(people.killed.count) apps were killed with an unsent event (SIGKILL). Some are deleted.")
        try await fleet.each(where: { $0.token == .unregistered }) { try await $0.deleteApp() }
        let campaign = try await launch(
            CampaignRequest(name: "Hello", kind: .push, audience: .everyone, push: Self.content)
        )
        say("Campaign \(campaign) was launched.")
        let sent = try await figures(of: campaign) { $0.status == .completed }
        say("Campaign \(campaign) was sent. The killed apps come back, and people look at their phones.")
        people.recovered = try await relaunchKilled(ids)
        let counts = try await engagement(with: campaign, expecting: sent)
        let report = try await tellOfMessages(after: campaign, counts, registered: registered, people)
        return (report, campaign)
    }

    /// Tells of message centers, the badge and in-app messages, and then counts everything.
    private func tellOfMessages(
        after push: String, _ counts: CampaignCounts, registered: [Int: String], _ people: DemoPeople
    ) async throws -> DemoReport {
        var people = people
        let (kept, message) = try await sendMessages()
        say(
            "Campaign \(kept) was sent and is kept in the message center. "
                + "Campaign \(message) is in the message center, with a badge."
        )
        let keptCounts = try await engagement(with: kept, expecting: try await figures(of: kept) { _ in true })
        say("People open the message center.")
        let visits = try await visitCenters()
        let answer = try await reportedMessage(message, visits: visits)
        let inApp = try await tellOfInApp()
        let campaigns = Campaigns(
            push: push, keptPush: kept, message: message, basket: inApp.basket.id, greeting: inApp.greeting.id
        )
        var services = try await services(
            of: campaigns, registered: registered, visits: visits, sights: inApp.sights
        )
        say("Some people log out.")
        people.loggedOut = try await logOut(registered)
        for device in fleet.devices { services[device.behaviour.provider].people.add(people, of: device.index) }
        let each = [services.apns, services.fcm, services.webpush]
        return DemoReport(
            devices: fleet.devices.count, registered: registered.count, people: .init(people), push: .init(counts),
            messageCenter: .init(answer, keptPush: keptCounts, services: each),
            inApp: .init(basket: inApp.basket, greeting: inApp.greeting, services: each), services: services
        )
    }

    private func setUp() async throws {
        _ = try await admin.call(
            AppRoutes.createApp, body: CreateAppRequest(code: DemoApp.code, name: "Demonstration")
        )
        _ = try await admin.call(CredentialRoutes.putAPNsCredentials, DemoApp.code, body: credentials.apns)
        _ = try await admin.call(CredentialRoutes.putFCMCredentials, DemoApp.code, body: credentials.fcm)
        _ = try await admin.call(
            CredentialRoutes.putWebPushCredentials, DemoApp.code, body: credentials.webPush
        )
        for attribute in ["city", "firstName"] {
            _ = try await admin.call(
                AttributeRoutes.defineAttribute, DemoApp.code, attribute, body: DefineAttributeRequest(type: .string)
            )
        }
        try await setUpCenters()
    }

    /// Waits until the server has processed every device's registration. Returns the ids of the registered devices by
    /// device number.
    ///
    /// - Parameter ids: the ids of all devices.
    private func registeredDevices(_ ids: [Int: String]) async throws -> [Int: String] {
        var waiting = ids.values.sorted()
        try await eventually("every device is registered") {
            var left: [String] = []
            for id in waiting where try await !isRegistered(id) { left.append(id) }
            waiting = left
            return left.isEmpty
        }
        return ids.filter { !waiting.contains($0.value) }
    }

    private func isRegistered(_ id: String) async throws -> Bool {
        do {
            let device: DeviceResponse = try await admin.call(DeviceRoutes.readDevice, DemoApp.code, id)
            return (device.revision ?? 0) > 0
        } catch AdminClientError.rejected(status: 404, _) {
            return false
        }
    }

    /// Uses the first name where the person gave it; people who speak German get the German text.
    private static let content = PushContent(
        title: "Hello{{#firstName}}, {{firstName}}{{/firstName}}!", body: "Your first push from Belfry.",
        action: NotificationAction(type: .openUrl, url: "demo://welcome/{{city}}"),
        variants: [
            "de": PushVariant(
                title: "Hallo{{#firstName}}, {{firstName}}{{/firstName}}!", body: "Die erste Nachricht von Belfry."
            )
        ]
    )

    /// Creates a campaign and launches it. Returns its id.
    func launch(_ request: CampaignRequest) async throws -> String {
        let draft: CampaignStatusResponse = try await admin.call(
            CampaignRoutes.createCampaign, DemoApp.code, body: request
        )
        _ = try await admin.call(CampaignRoutes.launchCampaign, DemoApp.code, draft.id)
        return draft.id
    }

    /// Waits until the condition holds, and returns the campaign's figures.
    func figures(of campaign: String, when condition: (CampaignResponse) -> Bool) async throws -> CampaignCounts {
        try await answer(of: campaign, when: condition).counts
    }

    /// Waits until the condition holds, and returns the campaign.
    func answer(
        of campaign: String, when condition: (CampaignResponse) -> Bool
    ) async throws -> CampaignResponse {
        var answer: CampaignResponse = try await admin.call(CampaignRoutes.readCampaign, DemoApp.code, campaign)
        try await eventually("campaign \(campaign) continues (it is \(answer.status.rawValue))") {
            answer = try await admin.call(CampaignRoutes.readCampaign, DemoApp.code, campaign)
            return condition(answer)
        }
        return answer
    }

    /// Lets the devices report until every accepted push has been displayed and everybody who opens pushes has opened
    /// it.
    private func engagement(with campaign: String, expecting sent: CampaignCounts) async throws -> CampaignCounts {
        let readers = fleet.devices.map(\.behaviour).filter { $0.consent == .granted && $0.token == .valid }
        let openers = readers.filter(\.opens).count
        var counts = sent
        try await eventually("the devices report what they have shown") {
            try await fleet.each { try await $0.look() }
            counts = try await figures(of: campaign) { _ in true }
            return counts.displayed >= sent.accepted && counts.opened >= openers
        }
        return counts
    }

    func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
        var (waited, last) = (0.0, environment.now())
        while try await !condition() {
            guard waited < Self.patience else { throw DemoError.tookTooLong(what) }
            try Task.checkCancellation()
            await environment.sleep(environment.now().addingTimeInterval(Self.glance))
            // A check that takes long means a busy machine, not a step that makes no progress.
            let now = environment.now()
            waited += min(max(now.timeIntervalSince(last), 0), Self.longestLook)
            last = now
        }
    }
}
