import BelfryAPI
import BelfryModel
import BelfryServerModel
import Synchronization

/// The third part of the story: in-app messages.
extension DemoStory {
    /// The event that devices track when a person opens the basket.
    package static let basketEvent = "basket"

    /// The results of the third part.
    struct InAppFindings: Sendable {
        /// The campaign that is published, edited and recalled, and the one for the start of a session.
        let basket: CampaignResponse
        let greeting: CampaignResponse
        /// The devices' results, by device number.
        let sights: [Int: InAppSight]
    }

    /// A message that waits on the device for an event, and has a button.
    ///
    /// - Parameter body: in English; `german` is the same text in German.
    private static func basket(_ body: String, german: String) -> CampaignRequest {
        let button = InAppButton(id: "show", text: "Show me", action: InAppAction(type: .openUrl, url: "demo://basket"))
        let variant = InAppVariant(title: "Noch da, {{city}}?", body: german, buttons: [button.id: "Zeigen"])
        return CampaignRequest(
            name: "Basket", kind: .inApp, audience: .everyone,
            inApp: InAppDraftRequest(
                InAppDraft(
                    type: .modal, trigger: InAppTrigger(event: basketEvent), displayLimit: 5,
                    content: InAppContent(title: "Still there, {{city}}?", body: body, buttons: [button]),
                    variants: ["de": variant], defaults: ["city": "my friend"]
                ))
        )
    }

    /// A message for people who return to the app.
    private static let greeting = CampaignRequest(
        name: "Welcome back", kind: .inApp, audience: .everyone,
        inApp: InAppDraftRequest(
            InAppDraft(
                type: .bannerTop, trigger: InAppTrigger(event: EventName.sessionStart.rawValue),
                content: InAppContent(body: "Good to see you again.")
            ))
    )

    /// Publishes, shows, edits and recalls the campaign.
    func tellOfInApp() async throws -> InAppFindings {
        let present = fleet.devices.filter(\.behaviour.hasApp)
        let openers = present.count { $0.behaviour.opens }
        let basket = try await launch(Self.basket("The shoes are still here.", german: "Die Schuhe sind noch da."))
        try await fetched(basket, version: 1, by: present.filter(\.behaviour.hearsSilentPushes))
        say("In-app campaign \(basket) was published. Silent pushes wake devices, which download it. People come back.")
        let greeting = try await launch(Self.greeting)
        try await comeBack()
        try await fetched(basket, version: 1, by: present)
        let greeted = try await met(greeting) { $0.displays >= present.count && $0.dismissals >= present.count }
        try await lookIntoBasket(of: basket, times: 1, present: present.count, openers: openers)
        say("They look into their baskets and see it. Campaign \(basket) was edited.")
        _ = try await admin.call(
            CampaignRoutes.updateCampaign, DemoApp.code, basket,
            body: Self.basket("The last pair of shoes!", german: "Das letzte Paar!")
        )
        try await comeBack()
        try await fetched(basket, version: 2, by: present)
        try await lookIntoBasket(of: basket, times: 2, present: present.count, openers: openers)
        say("They saw the edited version. Campaign \(basket) was recalled.")
        _ = try await admin.call(CampaignRoutes.recallCampaign, DemoApp.code, basket)
        try await comeBack()
        try await fetched(basket, version: nil, by: present)
        let ended = try await answer(of: basket) { $0.counts.pending == 0 }
        try await fleet.each { try await $0.leave() }
        return InAppFindings(basket: ended, greeting: greeted, sights: try await inAppSights())
    }

    /// Every app is in the background for so long that its next foreground starts a new session, which fetches (IAM-3).
    private func comeBack() async throws {
        try await fleet.each { try await $0.leave() }
        await environment.sleep(environment.now().addingTimeInterval(DemoApp.pace.sessionTimeout + 0.1))
        try await fleet.each { try await $0.open() }
    }

    /// Waits until the devices have this version of a campaign's message; nil: until they have none.
    private func fetched(_ campaign: String, version: Int?, by devices: [SimulatedDevice]) async throws {
        var waiting = devices
        try await eventually("every device knows of in-app campaign \(campaign)") {
            var left: [SimulatedDevice] = []
            for device in waiting where try await device.inAppVersion(of: campaign) != version { left.append(device) }
            waiting = left
            return left.isEmpty
        }
    }

    /// Tracks the event on every device. The message that waits for it appears and is closed again.
    private func lookIntoBasket(of campaign: String, times: Int, present: Int, openers: Int) async throws {
        try await fleet.each { try await $0.track(Self.basketEvent) }
        _ = try await met(campaign) { counts in
            counts.displays >= present * times && counts.clicks >= openers * times
                && counts.dismissals >= present * times
        }
    }

    /// Waits until the devices have reported enough, and returns the campaign.
    private func met(_ campaign: String, _ condition: (InAppCounts) -> Bool) async throws -> CampaignResponse {
        var answer: CampaignResponse = try await admin.call(CampaignRoutes.readCampaign, DemoApp.code, campaign)
        try await eventually("the devices report that they have shown in-app campaign \(campaign)") {
            try await fleet.each { try await $0.report() }
            answer = try await admin.call(CampaignRoutes.readCampaign, DemoApp.code, campaign)
            return condition(answer.inAppCounts ?? InAppCounts())
        }
        return answer
    }

    private func inAppSights() async throws -> [Int: InAppSight] {
        let found = Sights()
        try await fleet.each { device in
            guard let sight = try await device.inAppSight() else { return }
            found.sights.withLock { $0[device.index] = sight }
        }
        return found.sights.withLock { $0 }
    }

    private final class Sights: Sendable {
        let sights = Mutex<[Int: InAppSight]>([:])
    }
}
