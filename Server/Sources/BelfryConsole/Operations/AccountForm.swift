import BelfryServices

/// The form for a new account. Its password is read and never shown.
struct NewAccountForm: Hashable, Sendable {
    static let names = ["name", "displayName", "password", "again", "isOperator"]

    var name = ""
    var displayName = ""
    var password = ""
    var isOperator = false

    init() {}

    init(_ form: FormFields) {
        name = form["name"]
        displayName = form["displayName"]
        password = form["password"]
        isOperator = form["isOperator"] == FormField.on
    }
}

/// The form for changes of an account.
struct AccountForm: Hashable, Sendable {
    static let names = ["displayName", "isOperator", "isDisabled"]

    let displayName: String
    let isOperator: Bool
    let isDisabled: Bool

    init(_ form: FormFields) {
        displayName = form["displayName"]
        isOperator = form["isOperator"] == FormField.on
        isDisabled = form["isDisabled"] == FormField.on
    }

    init(_ user: UserService.User) {
        displayName = user.displayName
        isOperator = user.isOperator
        isDisabled = user.isDisabled
    }

    var version: String {
        EditedState.text(["name": displayName, "operator": "\(isOperator)", "disabled": "\(isDisabled)"])
    }
}
