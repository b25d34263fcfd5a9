/// The names that figures know buttons by, where nobody has given them one.
enum ButtonNames {
    /// Gives those that lack one the next number that is free: others keep theirs when a button before them goes.
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
