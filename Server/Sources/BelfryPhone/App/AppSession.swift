import Belfry

/// The app's process while it lives: the app with its client, and who listens to the client.
struct AppSession: Sendable {
    let shop: ShopApp
    /// How the app has told its client to show in-app messages.
    let inApp: InAppOptions
    let platform: PhonePlatform
    let gate: ProcessGate
    private let listeners: [Task<Void, Never>]

    var client: BelfryClient { shop.client }

    init(
        shop: ShopApp, inApp: InAppOptions, platform: PhonePlatform, gate: ProcessGate, observer: any AppObserver
    ) {
        self.shop = shop
        self.inApp = inApp
        self.platform = platform
        self.gate = gate
        let reports = shop.client.reports
        let decisions = shop.client.inAppDecisions
        let updates = shop.client.messageCenterUpdates
        let inlines = shop.client.inlineMessageUpdates
        listeners = [
            Task {
                for await report in reports {
                    await observer.note(.report, report.sentence)
                    if case .erased = report { await shop.personErased() }
                }
            },
            Task { for await decision in decisions { await observer.noteDecision(decision) } },
            Task { for await update in updates { await observer.note(.sdk, update.sentence) } },
            Task { for await _ in inlines { await shop.updateInline() } },
        ]
    }

    /// At once: what is under way goes nowhere.
    func end() async {
        gate.end()
        for listener in listeners { listener.cancel() }
        platform.end()
        await shop.end()
        await shop.client.stop()
    }
}
