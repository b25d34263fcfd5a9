import BelfryModel
import BelfryServices
import Foundation
import Hummingbird

/// Quarantined work: list, retry, and drop after a confirmation (CON-10, SEC-8).
enum QuarantinePages {
    private static let page = OperationsPlace.quarantine.path
    static let pageSize = 50

    static let routes: [ConsoleRoute] = [
        .get(page, .operators) { call in .page(try await shown(call)) },
        .post("\(page)/{work}/retry", .operators, audit: nil, retry),
        .get("\(page)/{work}/drop", .operators) { call in .page(try await question(call)) },
        .post("\(page)/{work}/drop", .operators, audit: nil, drop),
    ]

    private static func retry(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let name = try call.part("work")
        let result = try await auditing("quarantine.retry", to: name, call) {
            try await call.services.quarantine.retry(name, app: nil)
        } about: { result in
            result.work
        }
        guard case .quarantined(let work) = result else {
            return .redirect(
                OperationsPlace.quarantine.address,
                notice: .done("\(QuarantineWords.title(result.work)) is in its queue again. It is tried alone.")
            )
        }
        let sentence =
            "\(QuarantineWords.title(work)) failed again and stays in quarantine. \(work.reason) Fix the cause, "
            + "or drop it."
        return .pageWithStatus(try await shown(call, problem: sentence), .conflict)
    }

    private static func question(_ call: ConsoleCall, problem: String? = nil) async throws -> Page {
        let name = try call.part("work")
        let work = try await call.services.quarantine.find(name)
        let desk = try OperationsDesk(call, .quarantine)
        return desk.page(
            "confirm",
            ConfirmModel(
                "Drop \(QuarantineWords.title(work).loweredFirst)?",
                consequences: [
                    QuarantineWords.consequence(work), "It cannot be brought back.", "Why it is here: \(work.reason)",
                ],
                button: "Drop it for good", form: "\(desk.address)/\(WireURL.encoded(work.name))/drop",
                back: desk.address, backTitle: "Quarantine", formToken: desk.formToken, problem: problem
            )
        )
    }

    private static func drop(_ call: ConsoleCall) async throws -> ConsoleResponse {
        do {
            let name = try call.part("work")
            let work = try await auditing("quarantine.drop", to: name, call) {
                try await call.services.quarantine.drop(name, app: nil)
            } about: { work in
                work
            }
            return .redirect(
                OperationsPlace.quarantine.address, notice: .done("\(QuarantineWords.title(work)) was dropped.")
            )
        } catch ServiceError.conflict(code: _, message: let message) {
            return .pageWithStatus(try await question(call, problem: message), .conflict)
        }
    }

    /// Runs a change and writes it into the audit log of the app to which the work belongs.
    private static func auditing<Output>(
        _ action: String, to name: String, _ call: ConsoleCall, _ change: () async throws -> Output,
        about work: (Output) -> QuarantinedWork
    ) async throws -> Output {
        try await call.services.access.auditing(
            action, by: call.principal(), app: nil, target: name, change
        ) { output in
            let changed = work(output)
            return .done(app: changed.app, target: changed.name)
        }
    }

    private static func shown(_ call: ConsoleCall, problem: String? = nil) async throws -> Page {
        let cursor: Int64? = WholeNumber.read(call.query["before"])
        let found = try await call.services.quarantine.list(app: nil, before: cursor, limit: pageSize)
        let desk = try OperationsDesk(call, .quarantine)
        let model = QuarantineModel(
            desk, found.work, next: found.next, isFirstPage: cursor == nil, problem: problem, now: call.services.now()
        )
        return desk.page("operations-quarantine", model)
    }
}

/// Quarantined work in words.
enum QuarantineWords {
    static func title(_ work: QuarantinedWork) -> String {
        switch (work.kind, work.campaign) {
        case ("registration", _): "A registration of a device"
        case ("batch", let campaign?): "A batch of the campaign \(campaign)"
        case ("plan", let campaign?): "The audience of the campaign \(campaign)"
        case ("silentPush", _): "A silent push to a device"
        case ("recall", let campaign?): "The recall of the messages of the campaign \(campaign)"
        case ("upkeep", _): "A maintenance step"
        case ("attributeReview", _): "The review of an app's attributes"
        case ("contactFollowing", _): "The update of a contact's devices"
        case ("eventMove", _): "The move of a device's events to a contact"
        default: "Work of the kind \(work.kind)"
        }
    }

    /// The effect of dropping the work, in sentences.
    static func consequence(_ work: QuarantinedWork) -> String {
        switch work.kind {
        case "registration": "The registration stays rejected, as its receipt says. The device sends a new one later."
        case "batch": "Pending messages of the batch end as rejected. The rest of the campaign continues."
        case "plan": "The campaign is cancelled. Messages that were already sent still arrive."
        case "silentPush": "The silent push is not sent. The device gets what is new at its next sync."
        case "recall": "Messages that are still in message centers stay there until the campaign is recalled again."
        case "attributeReview":
            "The contacts or registrations at which it failed stay as they are. The review continues after them."
        case "contactFollowing":
            "Audiences use former values for the devices that were not updated, until the contact changes again."
        case "eventMove": "The events are not dropped. Fix the cause and retry them."
        default: "The step is not dropped. Fix the cause and retry it."
        }
    }
}

/// The page of quarantined work.
struct QuarantineModel: Sendable {
    struct Line: Sendable {
        let workTitle: String
        let workName: String
        let workApp: String
        let workReason: String
        let workSince: String
        let workAttempts: String
        let retryAddress: String
        let dropAddress: String
    }

    let tabs: [Tab]
    let tabsLabel = "Operations"
    let formToken: String
    let problem: String?
    let isEmpty: Bool
    let lines: [Line]
    let isFirstPage: Bool
    let firstAddress: String
    let olderAddress: String?

    init(
        _ desk: OperationsDesk, _ work: [QuarantinedWork], next: Int64?, isFirstPage: Bool, problem: String?, now: Date
    ) {
        tabs = desk.tabs
        formToken = desk.formToken
        self.problem = problem
        isEmpty = work.isEmpty && isFirstPage
        lines = work.map { work in
            let base = "\(desk.address)/\(WireURL.encoded(work.name))"
            return Line(
                workTitle: QuarantineWords.title(work), workName: work.name, workApp: work.app?.rawValue ?? "–",
                workReason: work.reason, workSince: Moment.ago(work.since, now: now),
                workAttempts: Figures.count(work.attempts, "attempt", "attempts"), retryAddress: "\(base)/retry",
                dropAddress: "\(base)/drop"
            )
        }
        self.isFirstPage = isFirstPage
        firstAddress = desk.address
        olderAddress = next.map { "\(desk.address)?before=\($0)" }
    }
}

extension String {
    /// The text with a lower-case first letter.
    var loweredFirst: String {
        var bytes = Array(utf8)
        if let first = bytes.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) { bytes[0] = first | 0x20 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
