/// A script for wrk that sends prepared registrations, each thread those of a file of its own.
///
/// Its argument is how the files' names begin; ``fileName(_:thread:)`` tells them.
enum RegistrationsScript {
    /// - Parameter number: the thread's, from 1 on.
    static func fileName(_ begin: String, thread number: Int) -> String { "\(begin)-\(number)" }

    /// A thread that has none left sends its last one again, which changes nothing, and counts how often.
    static func text(threads: Int) -> String {
        PreparedTexts.script(threads: threads) + """
            function init(args)
              registrations = load_texts(args[1] .. "-" .. number)
              taken = 0
              lacking = 0
              loaded(args[1] .. "-loaded")
            end

            function request()
              taken = taken + 1
              if taken == 2 then wait_for_others() end
              local text = registrations[taken]
              if text then return text end
              lacking = lacking + 1
              return registrations[#registrations]
            end

            """
    }
}
