import BelfryModel
import Foundation

extension CampaignSchedule {
    /// The zone in which every local time comes first is so many seconds ahead of UTC.
    private static let firstZone: TimeInterval = 14 * 3600

    /// The first moment at which any recipient's message may leave, wherever they are; nil: at once.
    public var firstSend: Date? {
        if let localAt { return Date(timeIntervalSince1970: Double(localAt.secondsInUTC) - Self.firstZone) }
        return at
    }
}
