import ArgumentParser
import BelfryModel

/// Which push services simulated devices have their tokens from.
enum DeviceMix: String, ExpressibleByArgument, CaseIterable {
    case apns
    case fcm
    case webpush
    case mixed

    /// The one that all have; nil: each its own.
    var only: PushProvider? {
        PushProvider(rawValue: rawValue)
    }

    var providers: [PushProvider] {
        only.map { [$0] } ?? PushProvider.allCases
    }
}
