import BelfryModel
import BelfryServerModel
import CoreMetrics

/// How often push services refused an app's credentials (FLEET-11). Such a send stays pending until an operator has
/// corrected them, so no reason of a failed send tells of it.
struct CredentialRefusals: Sendable {
    static let name = "belfry_credentials_refused_total"

    /// Printed from the start: Prometheus sees no increase in a series that appears with its first count.
    private let counters: [PushProvider: Counter]

    init(_ metrics: Metrics) {
        counters = PushProvider.allCases.reduce(into: [:]) { counters, provider in
            counters[provider] = Counter(
                label: Self.name, dimensions: [("provider", provider.rawValue)], factory: metrics
            )
        }
    }

    func count(_ verdicts: [DeliveryResult]) {
        for verdict in verdicts {
            guard case .credentialError? = verdict.outcome, let provider = verdict.provider else { continue }
            counters[provider]?.increment()
        }
    }
}
