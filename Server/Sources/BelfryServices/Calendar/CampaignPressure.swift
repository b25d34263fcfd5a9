import BelfryServerModel
import BelfryStore
import Foundation

/// How many planned messages reach the same devices, and how their caps change that (CON-6). The numbers are exact for
/// the devices that are in an audience now; earlier sends are left to the rehearsal.
package struct CampaignPressure: Hashable, Sendable {
    /// The most campaigns that are compared.
    package static let maximum = PredicateConnection.maximumOverlaps

    /// Two campaigns whose audiences have devices in common.
    package struct Overlap: Hashable, Sendable {
        /// The indices of the two campaigns in ``CampaignPressure/entries``.
        package let first: Int
        package let second: Int
        package let devices: Int
    }

    /// The number of devices that are in the audiences of this many of the campaigns.
    package struct Load: Hashable, Sendable {
        package let messages: Int
        package let devices: Int
    }

    /// The number of a campaign's devices that have already got as many of these messages as its cap allows when it is
    /// sent.
    package struct Capped: Hashable, Sendable {
        package let entry: Int
        package let cap: FrequencyCap
        package let devices: Int
    }

    /// The campaigns, in the order in which they are sent.
    package let entries: [CalendarEntry]
    /// The number of campaigns that are not compared, because there are too many.
    package let left: Int
    /// The number of devices of each audience.
    package let reach: [Int]
    /// The number of devices in any of the audiences.
    package let devices: Int
    /// The loads, the most messages first.
    package let loads: [Load]
    /// The overlaps, largest first.
    package let overlaps: [Overlap]
    package let capped: [Capped]

    /// - Parameter counts: the number of devices by the set of audiences that they belong to: bit 0 of a key stands for
    ///   the first entry.
    package init(_ entries: [CalendarEntry], left: Int, counts: [Int: Int]) {
        self.entries = entries
        self.left = left
        devices = counts.values.reduce(0, +)
        reach = entries.indices.map { index in Self.sum(counts) { $0 & (1 << index) != 0 } }
        loads = Dictionary(counts.map { ($0.key.nonzeroBitCount, $0.value) }, uniquingKeysWith: +)
            .map { Load(messages: $0.key, devices: $0.value) }.sorted { $0.messages > $1.messages }
        overlaps = entries.indices.flatMap { first in
            entries.indices.filter { $0 > first }.map { second in
                let both = 1 << first | 1 << second
                return Overlap(first: first, second: second, devices: Self.sum(counts) { $0 & both == both })
            }
        }.filter { $0.devices > 0 }.sorted { ($1.devices, $0.first) < ($0.devices, $1.first) }
        capped = entries.indices.compactMap { Self.capped($0, entries, counts) }
    }

    private static func sum(_ counts: [Int: Int], where isCounted: (Int) -> Bool) -> Int {
        counts.reduce(0) { isCounted($1.key) ? $0 + $1.value : $0 }
    }

    private static func capped(_ index: Int, _ entries: [CalendarEntry], _ counts: [Int: Int]) -> Capped? {
        let entry = entries[index]
        guard let cap = entry.cap, entry.notifies else { return nil }
        let since = entry.begins.addingTimeInterval(-cap.within.seconds)
        let before = entries.indices.filter { other in
            other < index && entries[other].notifies && entries[other].begins > since
        }.reduce(0) { $0 | 1 << $1 }
        let devices = sum(counts) { mask in
            mask & (1 << index) != 0 && (mask & before).nonzeroBitCount >= cap.count
        }
        return devices > 0 ? Capped(entry: index, cap: cap, devices: devices) : nil
    }
}
