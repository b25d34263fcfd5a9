import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// The progress of a rehearsal: the part of its page that updates by itself.
struct RehearsalStateModel: Sendable {
    let rehearsalChip: StatusChip?
    let rehearsalSentence: String
    /// The progress in percent, 0 to 100; nil when the rehearsal has ended.
    let percent: String?
    let cancelAddress: String?
    let formToken: String

    init(_ view: RehearsalView) {
        formToken = view.formToken
        guard let rehearsal = view.rehearsal else {
            rehearsalChip = nil
            rehearsalSentence = ""
            percent = nil
            cancelAddress = nil
            return
        }
        rehearsalChip = StatusChip(rehearsal.status)
        rehearsalSentence = RehearsalWords.state(rehearsal, zone: view.zone)
        percent = rehearsal.status.isOpen ? String(Int(rehearsal.progress * 100)) : nil
        let mayCancel = rehearsal.status.isOpen && view.rights.contains(.compose)
        cancelAddress = mayCancel ? "\(view.page)/rehearsals/\(rehearsal.id)/cancel" : nil
    }
}

/// A rehearsal on its page.
struct RehearsalModel: Sendable {
    /// A line in the list of the campaign's rehearsals.
    struct Line: Sendable {
        let lineAddress: String
        let lineTime: String
        let lineChip: StatusChip
        let lineSentence: String
        let isShown: Bool
    }

    let campaignName: String
    let campaignAddress: String
    let listAddress: String
    let startAddress: String?
    let startTitle: String
    let formToken: String
    let formKey: String
    let notDone: String?
    /// Why the results no longer apply to the campaign; nil where they do.
    let outdated: String?
    let isEmpty: Bool
    let emptySentence: String
    let liveAddress: String?
    let state: RehearsalStateModel?
    let found: RehearsalFiguresModel?
    let compareAddress: String?
    /// Why the page does not show the comparison by itself.
    let compareSentence: String
    let comparison: RehearsalComparisonModel?
    let lines: [Line]
    let hasLines: Bool

    init(_ view: RehearsalView) {
        let rehearsal = view.rehearsal
        let isBefore = view.next != nil
        campaignName = view.campaign.draft.name
        campaignAddress = view.page
        listAddress = view.base
        startAddress =
            isBefore && view.rights.contains(.compose) && rehearsal?.status.isOpen != true
            ? "\(view.page)/rehearsals" : nil
        startTitle = rehearsal == nil ? "Rehearse it" : "Rehearse it again"
        formToken = view.formToken
        formKey = view.formKey
        notDone = view.problem
        outdated = Self.outdated(view)
        isEmpty = rehearsal == nil
        emptySentence = RehearsalWords.empty(isBefore: isBefore, mayStart: startAddress != nil)
        liveAddress =
            rehearsal.flatMap { $0.status.isOpen ? "\(view.page)/rehearsals/\($0.id)/live" : nil }
        state = rehearsal == nil ? nil : RehearsalStateModel(view)
        found = RehearsalFiguresModel(view)
        comparison = view.comparison.map { RehearsalComparisonModel($0, zone: view.zone) }
        let mayBeCompared = view.isComparable && view.comparison == nil
        compareAddress = mayBeCompared ? rehearsal.map { "\(view.page)/rehearsals/\($0.id)?compare=yes" } : nil
        compareSentence = view.comparisonProblem ?? "The audience is large, so this takes some seconds."
        lines = view.all.map { Line($0, view) }
        hasLines = lines.count > 1
    }

    private static func outdated(_ view: RehearsalView) -> String? {
        guard let rehearsal = view.rehearsal, rehearsal.status == .done,
            rehearsal.version != view.next ?? view.version
        else { return nil }
        guard view.campaign.launchedAt != nil, view.campaign.draft.kind.isInApp else {
            return view.next == nil
                ? "The draft was changed between this rehearsal and the launch."
                : "The draft has changed since this rehearsal. Rehearse it again to see what it does now."
        }
        // Devices have the version that was rehearsed, so the results apply even if another change waits.
        guard rehearsal.version != view.version else { return nil }
        return view.next == nil
            ? "The message has changed since this rehearsal."
            : "A different change waits now. Rehearse again to see what it does."
    }
}

extension RehearsalModel.Line {
    fileprivate init(_ rehearsal: Rehearsal, _ view: RehearsalView) {
        lineAddress = "\(view.page)/rehearsals/\(rehearsal.id)"
        lineTime = view.zone.text(rehearsal.requestedAt)
        lineChip = StatusChip(rehearsal.status)
        lineSentence =
            rehearsal.figures.map {
                "\(Figures.count($0.reached)) of \(Figures.count($0.audience, "device", "devices"))"
            } ?? "–"
        isShown = rehearsal.id == view.rehearsal?.id
    }
}

extension StatusChip {
    init(_ status: RehearsalStatus) {
        switch status {
        case .waiting: self.init(word: "Waiting", tone: "busy")
        case .running: self.init(word: "Running", tone: "busy")
        case .done: self.init(word: "Done", tone: "good")
        case .cancelled: self.init(word: "Cancelled", tone: "quiet")
        case .failed: self.init(word: "Failed", tone: "bad")
        }
    }
}
