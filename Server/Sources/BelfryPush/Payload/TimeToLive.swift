import BelfryModel
import BelfryServerModel
import Foundation

/// How long a push service that counts from now may keep a message.
enum TimeToLive {
    /// Seconds; four weeks are the most that FCM and Google's Web Push service keep.
    static let maximum = 28 * 86_400

    /// Seconds; 0 tells the service to try once and keep nothing, and only a content says so.
    static func seconds(of content: PushContent, expiresAt: Date, now: Date) -> Int {
        if let own = content.ttlSeconds, own <= 0 { return 0 }
        let left = expiresAt.timeIntervalSince(now).rounded(.up)
        return Int(min(max(left, 1), Double(maximum)))
    }
}
