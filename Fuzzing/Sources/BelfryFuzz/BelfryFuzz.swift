import CLibFuzzer
import Foundation
import FuzzTargets

/// `BelfryFuzz`: names the targets. `BelfryFuzz TARGET [OPTION…] [CORPUS…]`: runs one of them as libFuzzer says it.
@main
enum BelfryFuzz {
    /// libFuzzer starts the program again, with options of its own alone, to make an input smaller.
    private static let variable = "BELFRY_FUZZ_TARGET"

    static func main() {
        let given = ProcessInfo.processInfo.environment[variable]
        guard let name = given ?? CommandLine.arguments.dropFirst().first else {
            for target in FuzzTarget.all { print(target.name) }
            return
        }
        guard let target = FuzzTarget.named(name) else {
            print("There is no target '\(name)'; without arguments, all of them are named.")
            exit(2)
        }
        chosen = target
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        if given == nil {
            setenv(variable, name, 1)
            // The program's name moves behind the target's: that is where libFuzzer looks for it.
            CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
            count -= 1
            arguments = CommandLine.unsafeArgv + 1
        }
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                BelfryFuzz.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            }
        )
    }

    /// Written once, before the only thread that reads it begins.
    private nonisolated(unsafe) static var chosen: FuzzTarget?

    private static func run(_ bytes: [UInt8]) {
        do {
            try chosen?.run(bytes)
        } catch {
            // To libFuzzer a finding is the end of the process; it keeps the input.
            fatalError("\(error)")
        }
    }
}
