import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfryServerModel

/// Starts campaigns of every kind, one after another.
actor SoakCampaigns {
    /// The maximum number of active in-app campaigns. The oldest is recalled for the next.
    private static let activeInApp = 3
    /// The time before each check of a campaign. An admin key may send 20 calls a second (SEC-9), and an hour has more
    /// campaigns than that.
    private static let gap = Duration.milliseconds(100)

    private let admin: AdminClient
    private let app: String
    private(set) var launched: [String] = []
    private var inApp: [String] = []

    init(admin: AdminClient, app: String) {
        self.admin = admin
        self.app = app
    }

    func launchNext() async throws {
        let requests = [Self.push, DemoStory.keptPush, DemoStory.message, Self.inAppMessage, Self.silent]
        let request = requests[launched.count % requests.count]
        let draft: CampaignStatusResponse = try await admin.call(CampaignRoutes.createCampaign, app, body: request)
        _ = try await admin.call(CampaignRoutes.launchCampaign, app, draft.id)
        launched.append(draft.id)
        guard request.kind == .inApp else { return }
        inApp.append(draft.id)
        guard inApp.count > Self.activeInApp else { return }
        _ = try await admin.call(CampaignRoutes.recallCampaign, app, inApp.removeFirst())
    }

    /// The campaigns whose final counts do not add up to their audience. It checks again until there are none or the
    /// attempts are used up.
    ///
    /// - Parameter pause: the time between two attempts.
    func unsettled(attempts: Int, pause: Duration) async throws -> [String] {
        for id in inApp {
            try await Task.sleep(for: Self.gap)
            _ = try await admin.call(CampaignRoutes.cancelCampaign, app, id)
        }
        var left = launched
        for attempt in 1...attempts {
            var open: [String] = []
            for id in left {
                try await Task.sleep(for: Self.gap)
                if try await !addsUp(id) { open.append(id) }
            }
            left = open
            if left.isEmpty || attempt == attempts { break }
            try await Task.sleep(for: pause)
        }
        return left
    }

    private func addsUp(_ id: String) async throws -> Bool {
        let campaign: CampaignResponse = try await admin.call(CampaignRoutes.readCampaign, app, id)
        let counts = campaign.counts
        let final = counts.accepted + counts.suppressed + counts.rejected + counts.cancelled
        return counts.audience > 0 && counts.pending == 0 && final == counts.audience
    }

    private static let push = CampaignRequest(
        name: "Push", kind: .push, audience: .attribute("city", .exists(true)),
        push: PushContent(
            title: "News from {{city}}", body: "Have a look.",
            action: NotificationAction(type: .openUrl, url: "demo://news")
        )
    )

    private static let inAppMessage = CampaignRequest(
        name: "In-app", kind: .inApp, audience: .everyone,
        inApp: InAppDraftRequest(
            InAppDraft(
                type: .modal, trigger: InAppTrigger(event: DemoStory.basketEvent), displayLimit: 5,
                content: InAppContent(
                    title: "Still there?", body: "The shoes are still here.",
                    buttons: [
                        InAppButton(
                            id: "show", text: "Show me", action: InAppAction(type: .openUrl, url: "demo://basket"))
                    ]
                )
            ))
    )

    private static let silent = CampaignRequest(
        name: "Silent", kind: .silent, audience: .everyone,
        push: PushContent(title: "", body: "", custom: ["refresh": .string("prices")])
    )
}
