import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore

/// A campaign's circuit breakers, by push service.
struct ProviderCircuitBreakers: Hashable {
    private var watches: [String: ProviderCircuitBreaker] = [:]

    init() {}

    init(text: String) throws {
        do {
            watches = try JSONText.decode([String: ProviderCircuitBreaker].self, text)
        } catch is DecodingError {
            // The format of the time when there was only APNs.
            watches = [PushProvider.apns.rawValue: try JSONText.decode(ProviderCircuitBreaker.self, text)]
        }
    }

    var text: String {
        get throws { try JSONText.encode(watches) }
    }

    /// The push services whose circuit breaker has seen enough responses and found no problem.
    var content: Set<PushProvider> {
        Set(
            PushProvider.allCases.filter { provider in
                watches[provider.rawValue].map { $0.answers >= ProviderCircuitBreaker.window && !$0.hasTopicErrors }
                    ?? false
            }
        )
    }

    /// Whether a push service has accepted so many pushes that the credentials are proven to fit the app.
    func prove(_ provider: PushProvider) -> Bool { watches[provider.rawValue]?.provesCredentials ?? false }

    var hasTopicErrors: Bool { watches.values.contains(where: \.hasTopicErrors) }

    /// - Returns: the reason to pause the campaign; nil when there is none.
    mutating func observe(_ outcomes: [PushOutcome], from provider: PushProvider) -> String? {
        var watch = watches[provider.rawValue] ?? ProviderCircuitBreaker()
        defer { watches[provider.rawValue] = watch }
        for outcome in outcomes {
            if case .pause(let reason) = watch.observe(outcome) { return "\(provider.title): \(reason)" }
        }
        return nil
    }
}
