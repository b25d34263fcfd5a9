import BelfryModel
import BelfryWire

/// Campaigns of every kind, one after the other.
actor SoakCampaigns {
    /// In-app campaigns that are active at a time; the oldest is taken back for the next.
    private static let activeInApp = 3

    private let admin: AdminClient
    private let base: String
    private(set) var launched: [String] = []
    private var inApp: [String] = []

    init(admin: AdminClient, app: String) {
        self.admin = admin
        base = "/api/v1/apps/\(app)"
    }

    func launchNext() async throws {
        let requests = [Self.push, DemoStory.keptPush, DemoStory.message, Self.inAppMessage, Self.silent]
        let request = requests[launched.count % requests.count]
        let draft: CampaignStatusAnswer = try await admin.send(.post, "\(base)/campaigns", request)
        let _: CampaignStatusAnswer = try await admin.send(.post, path(draft.id, "launch"), String?.none)
        launched.append(draft.id)
        guard request.kind == .inApp else { return }
        inApp.append(draft.id)
        guard inApp.count > Self.activeInApp else { return }
        let _: CampaignStatusAnswer = try await admin.send(.post, path(inApp.removeFirst(), "recall"), String?.none)
    }

    /// Campaigns whose final counts do not add up to their audience; asked again until there is none or the attempts are
    /// used up.
    ///
    /// - Parameter pause: between two attempts.
    func unsettled(attempts: Int, pause: Duration) async throws -> [String] {
        for id in inApp {
            let _: CampaignStatusAnswer = try await admin.send(.post, path(id, "cancel"), String?.none)
        }
        var left = launched
        for attempt in 1...attempts {
            var open: [String] = []
            for id in left where try await !addsUp(id) { open.append(id) }
            left = open
            if left.isEmpty || attempt == attempts { break }
            try await Task.sleep(for: pause)
        }
        return left
    }

    private func addsUp(_ id: String) async throws -> Bool {
        let campaign: CampaignAnswer = try await admin.get("\(base)/campaigns/\(id)")
        let counts = campaign.counts
        let final = counts.accepted + counts.suppressed + counts.rejected + counts.cancelled
        return counts.audience > 0 && counts.pending == 0 && final == counts.audience
    }

    private func path(_ id: String, _ verb: String) -> String { "\(base)/campaigns/\(id)/\(verb)" }

    private static let push = CampaignRequest(
        name: "Push", kind: .push, audience: .attribute("city", .exists(true)),
        push: PushContent(
            title: "News from {{city}}", body: "Have a look.",
            action: NotificationAction(type: .openUrl, url: "demo://news")
        )
    )

    private static let inAppMessage = CampaignRequest(
        name: "In-app", kind: .inApp, audience: .everyone,
        inApp: InAppContentRequest(
            type: .modal, trigger: InAppTrigger(event: DemoStory.basketEvent), displayLimit: 5,
            content: InAppContent(
                title: "Still there?", body: "The shoes are still here.",
                buttons: [
                    InAppButton(id: "show", text: "Show me", action: InAppAction(type: .openUrl, url: "demo://basket"))
                ]
            )
        )
    )

    private static let silent = CampaignRequest(
        name: "Silent", kind: .silent, audience: .everyone,
        push: PushContent(title: "", body: "", custom: ["refresh": .string("prices")])
    )
}
