/// What goes back to a sender.
struct Answer: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        /// In lower case, as HTTP/2 has it.
        var name: String
        var value: String
    }

    var status: Int
    var fields: [Field] = []
    /// Empty: none.
    var body = ""
}
