import BelfryModel
import BelfryServices
import Hummingbird

/// The message centers of an app: add, label, disable, remove (CON-10, MC-2).
enum CenterPages {
    private static let page = "/apps/{app}/settings/centers"

    static let routes: [ConsoleRoute] = [
        .get(page, .app(.administer)) { call in .page(try await shown(call)) },
        .post("\(page)/create", .app(.administer), audit: nil, create).keepingForm,
        .post("\(page)/change", .app(.administer), audit: nil, change).keepingForm,
        .get("\(page)/remove", .app(.administer)) { call in .page(try await question(call, call.query["name"])) },
        .post("\(page)/remove", .app(.administer), audit: nil, remove),
    ]

    private static func create(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (name, label) = (call.form["name"], call.form["label"])
        do {
            try await save(name, MessageCenterService.Change(label: label), call) { known in
                guard known == nil else {
                    throw FormProblems(
                        "name", "There is already a message center '\(String(name.prefix(64)).isolated)'.")
                }
            }
            return .redirect(
                call.link(SettingsPlace.centers.path), notice: .done("The message center '\(name)' was made.")
            )
        } catch {
            guard let problems = FormProblems(error, fields: ["name", "label"]) else { throw error }
            let page = try await shown(call, made: (name, label), problems)
            return .pageWithStatus(page, .unprocessableContent)
        }
    }

    private static func change(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (name, version) = (call.form["center"], call.form["version"])
        let typed = CenterSettingForm(
            name: name, label: call.form["label"], isEnabled: call.form["enabled"] == FormField.on)
        do {
            let change = MessageCenterService.Change(label: typed.label, isEnabled: typed.isEnabled)
            try await save(name, change, call) { known in
                guard let known, CenterSettingForm(known).version == version else { throw EditedState.conflict }
            }
            return .redirect(
                call.link(SettingsPlace.centers.path), notice: .done("The message center '\(name)' was saved.")
            )
        } catch ServiceError.conflict(code: FormProblems.changed, message: _) {
            return .pageWithStatus(try await shown(call, changed: typed, isConflict: true), .conflict)
        } catch {
            guard let problems = FormProblems(error, fields: ["name", "label"]) else { throw error }
            let page = try await shown(call, changed: typed, problems, version: version)
            return .pageWithStatus(page, .unprocessableContent)
        }
    }

    private static func save(
        _ name: String, _ change: MessageCenterService.Change, _ call: ConsoleCall,
        unless check: @escaping @Sendable (MessageCenter?) throws -> Void
    ) async throws {
        let app = try call.inApp()
        _ = try await call.auditing("messageCenter.put", to: name) {
            try await call.services.messageCenters.save(name, change, app: app, unless: check)
        }
    }

    private static func question(_ call: ConsoleCall, _ name: String, problem: String? = nil) async throws -> Page {
        let centers = try await call.services.messageCenters.all(of: try call.inApp())
        guard let center = centers.first(where: { $0.name.rawValue == name }) else {
            throw ServiceError.notFound(what: "message center", id: String(name.prefix(64)))
        }
        let desk = try SettingsDesk(call, .centers)
        return desk.page(
            "confirm",
            ConfirmModel(
                "Remove the message center '\(name)'?",
                consequences: [
                    "Its messages are hidden on all devices. A center of the same name, made later, shows them again.",
                    center.label.map { "Its label is '\($0.isolated)'." } ?? "It has no label.",
                ],
                button: "Remove it", form: "\(desk.address)/remove", back: desk.address, backTitle: "Message centers",
                formToken: desk.formToken, hidden: ["name": name], problem: problem
            )
        )
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let name = call.form["name"]
        do {
            _ = try await call.auditing("messageCenter.delete") {
                try await call.services.messageCenters.delete(name, app: try call.inApp())
            } naming: { removed in
                removed.rawValue
            }
        } catch ServiceError.conflict(code: _, message: let message) {
            return .pageWithStatus(try await question(call, name, problem: message), .conflict)
        }
        return .redirect(
            call.link(SettingsPlace.centers.path), notice: .done("The message center '\(name)' was removed.")
        )
    }

    private static func shown(
        _ call: ConsoleCall, made: (name: String, label: String) = ("", ""), changed: CenterSettingForm? = nil,
        _ problems: FormProblems = FormProblems(), version: String? = nil, isConflict: Bool = false
    ) async throws -> Page {
        let centers = try await call.services.messageCenters.all(of: try call.inApp())
        let desk = try SettingsDesk(call, .centers)
        let model = CenterSettingsModel(
            desk, centers, made: made, changed: changed, problems, version: version, isConflict: isConflict
        )
        return desk.page("settings-centers", model)
    }
}

/// The form for changes of a message center.
struct CenterSettingForm: Hashable, Sendable {
    let name: String
    let label: String
    let isEnabled: Bool

    init(name: String, label: String, isEnabled: Bool) {
        self.name = name
        self.label = label
        self.isEnabled = isEnabled
    }

    init(_ center: MessageCenter) {
        self.init(name: center.name.rawValue, label: center.label ?? "", isEnabled: center.isEnabled)
    }

    var version: String { EditedState.text(["name": name, "label": label, "enabled": isEnabled ? "1" : "0"]) }
}

/// The page of an app's message centers.
struct CenterSettingsModel: Sendable {
    struct Center: Sendable {
        let centerName: String
        let centerChip: StatusChip
        let centerNotice: String?
        let version: String
        let fields: [FormField]
        /// Whether the form shows input that could not be saved.
        let isTyped: Bool
        /// The address that removes the center; nil for the primary one, which every app has.
        let removeAddress: String?
    }

    let tabs: [Tab]
    let tabsLabel = "Settings"
    let formToken: String
    let formError: String?
    let centers: [Center]
    let onlyPrimary: Bool
    let command: String
    let changeAddress: String
    let createAddress: String
    let newFields: [FormField]
    /// Whether the form for a new center shows input that could not be saved.
    let isNewTyped: Bool
    /// Sentences on the limits of every center.
    let limits: [String]

    init(
        _ desk: SettingsDesk, _ centers: [MessageCenter], made: (name: String, label: String),
        changed: CenterSettingForm?,
        _ problems: FormProblems, version: String?, isConflict: Bool
    ) {
        tabs = desk.tabs
        formToken = desk.formToken
        formError = problems.summary
        self.centers = centers.enumerated().map { index, center in
            let typed = changed?.name == center.name.rawValue ? changed : nil
            return Self.center(
                center, typed: typed, typed == nil ? FormProblems() : problems, version: typed == nil ? nil : version,
                isConflict: isConflict, part: String(index), address: desk.address
            )
        }
        onlyPrimary = centers.count <= 1
        command = "belfry app message-center set \(desk.app.code.rawValue) Offers --label \"Offers\""
        changeAddress = "\(desk.address)/change"
        createAddress = "\(desk.address)/create"
        let own = changed == nil ? problems : FormProblems()
        newFields = [
            FormField(
                "name", .line, "Name", value: made.name,
                hint: "Apps and campaigns name it so. It cannot be changed later.", problem: own["name"], part: "new"
            ),
            FormField(
                "label", .line, "Label", value: made.label, hint: "What people read instead of the name. May be empty.",
                problem: own["label"], part: "new"
            ),
        ]
        isNewTyped = !made.name.isEmpty || !made.label.isEmpty
        limits = Self.limits
    }

    private static func center(
        _ center: MessageCenter, typed: CenterSettingForm?, _ problems: FormProblems, version: String?,
        isConflict: Bool,
        part: String, address: String
    ) -> Center {
        let stored = CenterSettingForm(center)
        let shown = typed ?? stored
        let differs = isConflict && typed != nil
        return Center(
            centerName: center.name.rawValue,
            centerChip: center.isEnabled
                ? StatusChip(word: "Enabled", tone: "good") : StatusChip(word: "Disabled", tone: "quiet"),
            centerNotice: differs
                ? "Somebody else has changed this center since you opened it. Their changes were not overwritten. To "
                    + "replace it with what you typed, save again." : nil,
            version: version ?? stored.version,
            fields: [
                FormField(
                    "label", .line, "Label", value: shown.label, hint: "What people read instead of the name.",
                    problem: problems["label"],
                    stored: differs && shown.label != stored.label
                        ? (stored.label.isEmpty ? "nothing" : stored.label) : nil,
                    part: part
                ),
                FormField(
                    "enabled", .check, "Shows its messages", value: shown.isEnabled ? FormField.on : "",
                    stored: differs && shown.isEnabled != stored.isEnabled ? (stored.isEnabled ? "on" : "off") : nil,
                    part: part
                ),
            ],
            isTyped: typed != nil,
            removeAddress: center.name.isPrimary
                ? nil : "\(address)/remove?name=\(WireURL.encoded(center.name.rawValue))"
        )
    }

    private static let limits = [
        "An app has the center '\(MessageCenterName.primary)' and at most \(MessageCenterLimits.maximumCustom) others.",
        "A device gets the newest \(MessageCenterLimits.messagesPerCenter) messages of each center.",
        "A subject has at most \(MessageCenterLimits.maximumSubjectLength) characters, a text at most "
            + "\(MessageCenterLimits.maximumMessageBytes / 1_024) KiB.",
    ]
}
