import Belfry

/// A running process of the app: the app with its client, and the tasks that listen to the client.
struct AppSession: Sendable {
    let shop: ShopApp
    /// The in-app options with which the app has configured its client.
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

    /// Ends the process without waiting: work in progress is cancelled.
    func end() async {
        gate.end()
        for listener in listeners { listener.cancel() }
        platform.end()
        await shop.end()
        await shop.client.stop()
    }
}
