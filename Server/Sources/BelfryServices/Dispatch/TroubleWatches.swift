import BelfryModel
import BelfryRules
import BelfryStore

/// A campaign's trouble watches, by push service.
struct TroubleWatches: Hashable {
    private var watches: [String: ProviderTroubleWatch] = [:]

    init() {}

    init(text: String) throws {
        do {
            watches = try JSONText.decode([String: ProviderTroubleWatch].self, text)
        } catch is DecodingError {
            // As it was when there was only APNs.
            watches = [PushProvider.apns.rawValue: try JSONText.decode(ProviderTroubleWatch.self, text)]
        }
    }

    var text: String {
        get throws { try JSONText.encode(watches) }
    }

    /// Those that have seen all that they judge by, and found nothing.
    var content: Set<PushProvider> {
        Set(
            PushProvider.allCases.filter { provider in
                watches[provider.rawValue].map { $0.answers >= ProviderTroubleWatch.window && !$0.isTopicTrouble }
                    ?? false
            }
        )
    }

    var hasTopicTrouble: Bool { watches.values.contains(where: \.isTopicTrouble) }

    /// - Returns: why to pause, if it must be.
    mutating func observe(_ outcomes: [PushOutcome], from provider: PushProvider) -> String? {
        var watch = watches[provider.rawValue] ?? ProviderTroubleWatch()
        defer { watches[provider.rawValue] = watch }
        for outcome in outcomes {
            if case .pause(let reason) = watch.observe(outcome) { return "\(provider.title): \(reason)" }
        }
        return nil
    }
}
