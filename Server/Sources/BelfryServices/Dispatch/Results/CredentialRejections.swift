import BelfryModel
import BelfryServerModel
import CoreMetrics

/// Counts how often push services rejected an app's credentials (FLEET-11). Such a send stays pending until an operator
/// has corrected them, so it does not appear among the reasons of failed sends.
struct CredentialRejections: Sendable {
    static let name = "belfry_credentials_refused_total"

    /// Created at the start: Prometheus sees no increase in a series that appears with its first count.
    private let counters: [PushProvider: Counter]

    init(_ metrics: Metrics) {
        counters = PushProvider.allCases.reduce(into: [:]) { counters, provider in
            counters[provider] = Counter(
                label: Self.name, dimensions: [("provider", provider.rawValue)], factory: metrics
            )
        }
    }

    func count(_ results: [DeliveryResult]) {
        for result in results {
            guard case .credentialError? = result.outcome, let provider = result.provider else { continue }
            counters[provider]?.increment()
        }
    }
}
