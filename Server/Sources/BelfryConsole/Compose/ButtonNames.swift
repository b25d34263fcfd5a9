/// The names of buttons in figures, for buttons without a name from their author.
enum ButtonNames {
    /// Names the unnamed buttons with the next free number. Other buttons keep their names when a button before them is
    /// removed.
    static func fill<Button>(_ buttons: inout [Button], _ name: WritableKeyPath<Button, String>) {
        var used = Set(buttons.map { $0[keyPath: name] })
        for index in buttons.indices where buttons[index][keyPath: name].isEmpty {
            var number = index + 1
            while used.contains("button\(number)") { number += 1 }
            buttons[index][keyPath: name] = "button\(number)"
            used.insert("button\(number)")
        }
    }
}
