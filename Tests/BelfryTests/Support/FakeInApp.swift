import BelfryModel
import Foundation

/// The in-app campaigns of a ``FakeServer``: a value with the meaning of WIRE-9. Campaigns are numbered from 1.
struct FakeInApp: Sendable {
    struct Campaign: Sendable {
        /// JSON, as a marketer writes it; nil for an inline message.
        var trigger: String? = #"{"event":"cart:add"}"#
        /// JSON, as a marketer writes it.
        var content = #"{"title":"Hello","body":"World"}"#
        var type = "modal"
        var priority = 999
        var viewID: String?
        var startsAt: Date?
        var endsAt: Date?
        var displayLimit = 1
        var delaySeconds = 0
        /// The contacts that it is for; nil for everybody.
        var audience: Set<String>?
        fileprivate(set) var version = 1
        /// The version whose edit reset the displays.
        fileprivate(set) var displayEpoch = 0
        fileprivate(set) var isDeleted = false
        fileprivate(set) var isRecalled = false
    }

    /// A device's state of a campaign, according to its cursor.
    struct Held: Codable, Hashable, Sendable {
        let contact: String
        /// Campaign → version.
        var versions: [Int: Int] = [:]
    }

    struct Display: Hashable, Sendable {
        let client: String
        let contact: String
        let campaign: Int
        let version: Int
    }

    private(set) var campaigns: [Int: Campaign] = [:]
    /// Each message that was served.
    private(set) var downloads: [Display] = []
    /// Each display that an event has reported.
    private(set) var displays: [Display] = []

    /// - Returns: the campaign's number.
    mutating func publish(_ campaign: Campaign) -> Int {
        let number = campaigns.count + 1
        campaigns[number] = campaign
        return number
    }

    /// An edit is published at once (IAM-4).
    mutating func edit(_ number: Int, resetsDisplays: Bool, _ change: (inout Campaign) -> Void) {
        guard var campaign = campaigns[number] else { return }
        change(&campaign)
        campaign.version += 1
        if resetsDisplays { campaign.displayEpoch = campaign.version }
        campaigns[number] = campaign
    }

    /// Copies on devices continue (IAM-10).
    mutating func delete(_ number: Int) {
        campaigns[number]?.isDeleted = true
    }

    /// Copies on devices go, too (IAM-10).
    mutating func recall(_ number: Int) {
        campaigns[number]?.isDeleted = true
        campaigns[number]?.isRecalled = true
    }

    mutating func displayed(_ display: Display) {
        displays.append(display)
    }

    /// Displays of a campaign by this person on this device since they were last reset.
    func displayCount(of number: Int, client: String, contact: String) -> Int {
        let epoch = campaigns[number]?.displayEpoch ?? 0
        return displays.count { display in
            display.campaign == number && display.client == client && display.contact == contact
                && display.version >= epoch
        }
    }
}

// MARK: - Sync

extension FakeInApp {
    /// The changes for a device: the numbers of new or newer campaigns and of recalled ones, and its state afterwards.
    struct Difference: Sendable {
        var new: [Int] = []
        var recalled: [Int] = []
        var held: Held
    }

    /// - Parameter since: nil, or another contact's: everything is new.
    mutating func sync(since: Held?, client: String, contact: String, now: Date) -> Difference {
        let known = since?.contact == contact ? since?.versions ?? [:] : [:]
        var difference = Difference(held: Held(contact: contact, versions: known))
        for (number, campaign) in campaigns.sorted(by: { $0.key < $1.key }) {
            let isHeld = known[number] != nil
            let isDue = isActive(campaign, at: now) && isFor(contact, campaign)
            if isDue, known[number] != campaign.version {
                difference.new.append(number)
                difference.held.versions[number] = campaign.version
                downloads.append(
                    Display(client: client, contact: contact, campaign: number, version: campaign.version))
            } else if isHeld, campaign.isRecalled || isWithdrawn(number, campaign, client: client, contact: contact) {
                difference.recalled.append(number)
                difference.held.versions[number] = nil
            } else if isHeld, hasEnded(campaign, at: now) {
                difference.held.versions[number] = nil
            }
        }
        return difference
    }

    /// The person has left its audience and has not seen it (IAM-1).
    private func isWithdrawn(_ number: Int, _ campaign: Campaign, client: String, contact: String) -> Bool {
        guard !campaign.isDeleted, !isFor(contact, campaign) else { return false }
        return displayCount(of: number, client: client, contact: contact) == 0
    }

    private func isActive(_ campaign: Campaign, at now: Date) -> Bool {
        !campaign.isDeleted && !hasEnded(campaign, at: now)
    }

    private func hasEnded(_ campaign: Campaign, at now: Date) -> Bool {
        campaign.endsAt.map { $0 <= now } ?? false
    }

    private func isFor(_ contact: String, _ campaign: Campaign) -> Bool {
        campaign.audience?.contains(contact) ?? true
    }
}
