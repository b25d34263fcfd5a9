import BelfryModel
import BelfryServerModel
import Foundation

/// The time to live for a push service that counts from now.
enum TimeToLive {
    /// The maximum in seconds: FCM and Google's Web Push service keep a message for at most four weeks.
    static let maximum = 28 * 86_400

    /// The time to live in seconds. 0 tells the service to try once and store nothing; only a content can ask for that.
    static func seconds(of content: PushContent, expiresAt: Date, now: Date) -> Int {
        if let own = content.ttlSeconds, own <= 0 { return 0 }
        let left = expiresAt.timeIntervalSince(now).rounded(.up)
        return Int(min(max(left, 1), Double(maximum)))
    }
}
