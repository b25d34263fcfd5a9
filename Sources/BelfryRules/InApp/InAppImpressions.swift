import BelfryModel
import Foundation

/// How often each message was shown to each person on this device (IAM-8).
///
/// Displays belong to the person: they outlive the message's copy on the device and its edits, and are restored when
/// somebody who left logs in again. As with ``RecipientTags``, a person is known by the tags of their contacts, so that
/// displays to an anonymous visitor count for the person who logs in (ID-8).
public struct InAppImpressions: Hashable, Sendable, Codable {
    /// The maximum number of remembered persons; beyond it those who left first are dropped.
    public static let maximumPersons = 8
    /// The maximum number of remembered messages of one person: twice as many as an app may have at the same time.
    /// Beyond it those whose last display is oldest are dropped.
    public static let maximumMessages = 200
    /// The maximum number of displays whose time is remembered, for the cap of a day.
    public static let maximumTimes = 1_000
    /// The maximum number of contacts of one person.
    static let maximumTags = 16
    /// Longer than any local day, wherever the device comes from, in seconds.
    private static let timesLast: TimeInterval = 2 * 86_400

    /// Displays of one message.
    struct Tally: Hashable, Sendable, Codable {
        let id: String
        var epoch: Int
        var displays: Int

        mutating func join(_ other: Tally) {
            if other.epoch == epoch {
                // Values from the server are included, and they may be any number.
                let (sum, isBeyond) = displays.addingReportingOverflow(other.displays)
                displays = isBeyond ? (displays > 0 ? .max : .min) : sum
            }
            if other.epoch > epoch { self = other }
        }
    }

    struct Person: Hashable, Sendable, Codable {
        /// The number of the person's first contact.
        var firstOwner: Int
        /// The number of the next person's first contact; nil for the present person.
        var endOwner: Int?
        var marks: [String] = []
        /// The displays by message, ordered by the last display, the oldest first.
        var tallies: [Tally] = []
        var times: [Date] = []
    }

    /// The present person is the last one.
    private var persons = [Person(firstOwner: 0)]

    public init() {}

    private var present: Person {
        get { persons[persons.count - 1] }
        set { persons[persons.count - 1] = newValue }
    }

    /// How often the person has seen the message in its epoch, as far as the device and the server know.
    public func displays(of candidate: InAppCandidate) -> Int {
        guard let tally = present.tallies.first(where: { $0.id == candidate.id }), tally.epoch >= candidate.displayEpoch
        else { return candidate.displayCount }
        return tally.epoch > candidate.displayEpoch ? tally.displays : max(tally.displays, candidate.displayCount)
    }

    /// How many messages the person has seen on the present day of a zone.
    public func displays(onDayOf now: Date, in zone: TimeZone) -> Int {
        let day = LocalDay(now, in: zone)
        return present.times.count { LocalDay($0, in: zone) == day }
    }

    /// - Parameter takesRoom: whether it counts for the day's cap: messages without a screen and inline messages do
    ///   not.
    mutating func shown(_ candidate: InAppCandidate, at now: Date, takesRoom: Bool) {
        let known = displays(of: candidate)
        let epoch = max(
            present.tallies.first { $0.id == candidate.id }?.epoch ?? candidate.displayEpoch, candidate.displayEpoch
        )
        present.tallies.removeAll { $0.id == candidate.id }
        present.tallies.append(Tally(id: candidate.id, epoch: epoch, displays: known == .max ? known : known + 1))
        present.tallies.removeFirst(max(0, present.tallies.count - Self.maximumMessages))
        guard takesRoom else { return }
        present.times.removeAll { now.timeIntervalSince($0) > Self.timesLast }
        present.times.append(now)
        present.times.removeFirst(max(0, present.times.count - Self.maximumTimes))
    }

    /// If the clock was set back, displays in the future count as made just now.
    mutating func rebase(to now: Date) {
        guard present.times.contains(where: { $0 > now }) else { return }
        present.times = present.times.map { min($0, now) }
    }
}

// MARK: - Persons

extension InAppImpressions {
    /// Another person uses the device from now on.
    ///
    /// - Parameter owner: the number of their contact.
    mutating func personChanged(owner: Int) {
        present.endOwner = owner
        persons.append(Person(firstOwner: owner))
        guard persons.count > Self.maximumPersons else { return }
        // A person who saw nothing is dropped first.
        persons.remove(at: persons.dropLast().firstIndex { $0.tallies.isEmpty } ?? 0)
    }

    /// A contact was linked, possibly after its person had left.
    mutating func linked(_ reference: String, owner: Int) {
        guard let mark = RecipientTags.tag(of: reference),
            var place = persons.lastIndex(where: { $0.firstOwner <= owner && owner < $0.endOwner ?? .max })
        else { return }
        if let earlier = persons.firstIndex(where: { $0.marks.contains(mark) }) {
            if earlier == place { return }
            // The present person stays the last.
            let (kept, gone) = (max(earlier, place), min(earlier, place))
            persons[kept].join(persons[gone])
            persons.remove(at: gone)
            place = kept - 1
        }
        persons[place].marks.removeAll { $0 == mark }
        persons[place].marks.append(mark)
        persons[place].marks.removeFirst(max(0, persons[place].marks.count - Self.maximumTags))
    }
}

extension InAppImpressions.Person {
    /// Merges the displays of two persons who turn out to be the same one.
    fileprivate mutating func join(_ earlier: Self) {
        var joined = earlier.tallies
        for tally in tallies {
            var tally = tally
            if let former = joined.first(where: { $0.id == tally.id }) { tally.join(former) }
            joined.removeAll { $0.id == tally.id }
            joined.append(tally)
        }
        tallies = Array(joined.suffix(InAppImpressions.maximumMessages))
        times = Array((earlier.times + times).sorted().suffix(InAppImpressions.maximumTimes))
        for mark in earlier.marks where !marks.contains(mark) { marks.append(mark) }
    }
}

/// A day of a zone's calendar, by its number.
private struct LocalDay: Hashable {
    private let number: Int64

    init(_ date: Date, in zone: TimeZone) {
        let seconds = date.timeIntervalSince1970 + TimeInterval(zone.secondsFromGMT(for: date))
        number = Int64((seconds / 86_400).rounded(.down))
    }
}
