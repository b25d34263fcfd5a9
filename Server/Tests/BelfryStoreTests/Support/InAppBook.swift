import BelfryModel
import BelfryStore
import Foundation

/// The expected rows of in-app messages, computed in the simplest way.
struct InAppBook {
    struct Place: Hashable {
        let campaign: Int64
        let device: Int64
        let contact: Int64
    }

    struct Entry: Hashable {
        var version = 1
        var downloadedAt: Date?
        var epoch = 0
        var shown = 0
        var displays = 0
        var displayedAt: Date?
        var clicks = 0
        var clickedAt: Date?
        var dismissals = 0
        var dismissedAt: Date?
        var milliseconds = 0
        var reason: String?
        var sentence: String?
        var notShownAt: Date?
        var recalledAt: Date?
        var buttons: [String: Int] = [:]
        var reasons: [String: Int] = [:]

        fileprivate mutating func enter(_ epoch: Int) {
            guard epoch > self.epoch else { return }
            self.epoch = epoch
            shown = 0
        }

        /// Twenty buttons of a message are counted separately.
        fileprivate func counted(_ button: String) -> String {
            buttons.keys.filter { $0 != button && $0 != "other" }.count < 20 ? button : "other"
        }
    }

    private(set) var entries: [Place: Entry] = [:]

    mutating func save(_ place: Place, version: Int, epoch: Int, at: Date) {
        entries[place, default: Entry()].enter(epoch)
        entries[place]?.version = version
        entries[place]?.downloadedAt = at
        entries[place]?.recalledAt = nil
    }

    mutating func withdraw(_ place: Place, at: Date) {
        entries[place]?.recalledAt = at
    }

    mutating func count(_ engagement: InAppEngagement, _ place: Place, version: Int?, epoch: Int, at: Date) {
        var entry = entries[place] ?? Entry()
        switch engagement {
        case .display:
            if entries[place] == nil { entry.version = version ?? 1 }
            entry.enter(epoch)
            entry.displays += 1
            entry.displayedAt = entry.displayedAt ?? at
            if version.map({ $0 >= epoch }) ?? true { entry.shown += 1 }
        case .click(let button):
            entry.clicks += 1
            entry.clickedAt = entry.clickedAt ?? at
            if let button { entry.buttons[entry.counted(button), default: 0] += 1 }
        case .dismissal(let seconds):
            entry.dismissals += 1
            entry.dismissedAt = entry.dismissedAt ?? at
            entry.milliseconds += Int(min(max(seconds ?? 0, 0), 86_400) * 1_000)
        case .notShown(let reason, let sentence):
            entry.reasons[reason, default: 0] += 1
            if at >= entry.notShownAt ?? Date(milliseconds: 0) {
                (entry.reason, entry.sentence, entry.notShownAt) = (reason, sentence, at)
            }
        }
        entries[place] = entry
    }

    mutating func erase(device: Int64, contact: Int64?) {
        entries = entries.filter { $0.key.device != device || (contact != nil && $0.key.contact != contact) }
    }

    mutating func move(_ device: Int64, from contact: Int64, to other: Int64) {
        for (place, entry) in entries where place.device == device && place.contact == contact {
            entries[place] = nil
            let goal = Place(campaign: place.campaign, device: device, contact: other)
            entries[goal] = entries[goal].map { $0.joined(entry) } ?? entry
        }
    }
}

extension InAppBook.Entry {
    fileprivate func joined(_ other: Self) -> Self {
        var sum = self
        sum.version = max(version, other.version)
        sum.downloadedAt = [downloadedAt, other.downloadedAt].compactMap(\.self).max()
        sum.epoch = max(epoch, other.epoch)
        sum.shown = [self, other].filter { $0.epoch == sum.epoch }.reduce(0) { $0 + $1.shown }
        sum.displays += other.displays
        sum.displayedAt = [displayedAt, other.displayedAt].compactMap(\.self).min()
        sum.clicks += other.clicks
        sum.clickedAt = [clickedAt, other.clickedAt].compactMap(\.self).min()
        sum.dismissals += other.dismissals
        sum.dismissedAt = [dismissedAt, other.dismissedAt].compactMap(\.self).min()
        sum.milliseconds += other.milliseconds
        if let at = other.notShownAt, at > notShownAt ?? .distantPast {
            (sum.reason, sum.sentence, sum.notShownAt) = (other.reason, other.sentence, at)
        }
        sum.recalledAt = [recalledAt, other.recalledAt].compactMap(\.self).max()
        sum.buttons.merge(other.buttons, uniquingKeysWith: +)
        sum.reasons.merge(other.reasons, uniquingKeysWith: +)
        return sum
    }

    init(_ row: InAppDeviceStateRow) {
        version = row.version
        downloadedAt = row.downloadedAt
        epoch = row.epoch
        shown = row.shown
        displays = row.displays
        displayedAt = row.displayedAt
        clicks = row.clicks
        clickedAt = row.clickedAt
        dismissals = row.dismissals
        dismissedAt = row.dismissedAt
        milliseconds = Int((row.seconds * 1_000).rounded())
        reason = row.notShownReason
        sentence = row.notShownSentence
        notShownAt = row.notShownAt
        recalledAt = row.recalledAt
    }

    /// Without what is in tables of their own.
    var row: Self {
        var row = self
        row.buttons = [:]
        row.reasons = [:]
        return row
    }
}

extension InAppBook {
    func sums(of campaign: Int64) -> InAppSums {
        var sums = InAppSums()
        let own = entries.filter { $0.key.campaign == campaign }
        func devices(_ condition: (Entry) -> Bool) -> Int {
            Set(own.filter { condition($0.value) }.map(\.key.device)).count
        }
        sums.downloaded = devices { $0.downloadedAt != nil }
        sums.displayedBy = devices { $0.displays > 0 }
        sums.clickedBy = devices { $0.clicks > 0 }
        for entry in own.values {
            sums.displays += entry.displays
            sums.clicks += entry.clicks
            sums.dismissals += entry.dismissals
            sums.clicksByButton.merge(entry.buttons, uniquingKeysWith: +)
            sums.notShown.merge(entry.reasons, uniquingKeysWith: +)
        }
        sums.seconds = Double(own.values.reduce(0) { $0 + $1.milliseconds }) / 1_000
        return sums
    }
}
