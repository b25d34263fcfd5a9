import Belfry

/// The app's process while it lives: the client, and who listens to it.
struct AppSession: Sendable {
    let client: BelfryClient
    let platform: PhonePlatform
    let gate: ProcessGate
    private let listeners: [Task<Void, Never>]

    init(client: BelfryClient, platform: PhonePlatform, gate: ProcessGate, phone: Phone) {
        self.client = client
        self.platform = platform
        self.gate = gate
        let reports = client.reports
        let decisions = client.inAppDecisions
        let updates = client.messageCenterUpdates
        let inlines = client.inlineMessageUpdates
        listeners = [
            Task { for await report in reports { await phone.note(.report, report.sentence) } },
            Task { for await decision in decisions { await phone.noteDecision(decision) } },
            Task { for await update in updates { await phone.note(.sdk, update.sentence) } },
            Task {
                for await _ in inlines { try? await phone.refreshInline() }
            },
        ]
    }

    /// At once: what is under way goes nowhere.
    func end() async {
        gate.end()
        for listener in listeners { listener.cancel() }
        platform.end()
        await client.stop()
    }
}
