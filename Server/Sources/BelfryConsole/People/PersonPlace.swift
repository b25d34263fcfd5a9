import BelfryModel
import BelfryServices

/// The addresses of a person's pages, and the rights of the person who looks at them.
struct PersonPlace: Sendable {
    /// The address of the list of people.
    let list: String
    let number: Int64
    let app: String
    let zone: AppZone
    let mayManage: Bool
    let formToken: String

    init(_ call: ConsoleCall, _ number: Int64) throws {
        list = call.link("/people")
        app = call.link("")
        self.number = number
        zone = AppZone(try call.inApp().settings)
        mayManage = try call.rights().contains(.managePeople)
        formToken = try call.signedIn().formToken
    }

    var person: String { "\(list)/\(number)" }
    var why: String { "\(person)/why" }
}
