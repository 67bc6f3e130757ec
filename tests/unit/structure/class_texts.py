# SPDX-License-Identifier: GPL-2.0-or-later
"""Made-up classes with what counts of them: name, fields, methods, and whether it is a record (class_size.py); and
made-up sizes with what is to be said of them."""

CASES = (
    ("a record with several names in one declaration", """
        namespace a::b { struct Run { FrameNumber first = 0, last = 0; int *p, q[3] = {1, 2, 3}, &r; }; }
     """, [("a::b::Run", 5, 0, True)]),
    ("comments, literals and preprocessor lines", r'''
        #include <x> // struct No { int a; };
        #define OPEN struct Not { \
            int b;
        /* class Neither { }; */
        struct S {
            char open = '{', quote = '\'', hex = u8'\x7d'; // }
            std::string text = "};", raw = R"(a"}b)", marked = R"x(})"})x";
            int large = 1'000'000, e = 0x1p-3;
            const char *url = "http://a"; /* } */
        #if A
            int in_one;
        #else
            int in_other;
        #endif
        };
     ''', [("S", 11, 0, True)]),
    ("initialisers", """
        struct S {
            int a{1}, b = {2}, c = f(1, 2), d = x < y;
            std::map<int, std::pair<int, int>> m{{1, {2, 3}}}, n = std::map<int, std::pair<int, int>>{};
            std::function<int(int, int)> f = [](int a, int b) { struct Local { int z; }; return a < b ? a : b; }, g;
            Duration most = std::chrono::seconds{5};
            Role role{};
            std::shared_ptr<T> p = std::make_shared<T>(), q = make<A, B>(1);
            bool wide = sizeof(int) > 2;
        };
     """, [("S", 13, 0, True), ("S::Local", 1, 0, True)]),
    ("bit fields", """
        struct Flags {
            bool syn : 1 = false, seen : 1;
            unsigned kind : static_cast<int>(4), : 0, more : 2 {1};
            int : 3;
            std::uint32_t : 8;
            std::uint32_t tag : 24;
        };
     """, [("Flags", 5, 0, True)]),
    ("static data and types are no fields", """
        class C {
            using Alias = std::vector<int>;
            typedef struct { int x; } Old;
            typedef int (*Call)(int);
            enum { one, two };
            enum class Kind : std::uint8_t { a = sizeof(int), b };
            enum class Later : int;
            static constexpr Duration none = std::chrono::microseconds(20);
            static inline int count = 0;
            static_assert(sizeof(int) == 4, "; }");
            class Forward;
            struct Nested;
            friend class Other;
            friend struct ns::Another;
            template <class T> friend class Third;
            template <class T> using List = std::vector<T>;
            template <class T> struct Late;
            friend bool operator==(const C &a, const C &b) { return a.x_ == b.x_; }
            friend C swap(C, C);
            int x_ = 0;
        };
     """, [("C::unnamed-4", 1, 0, True), ("C", 1, 0, False)]),
    ("fields of types that say their key", """
        struct S { struct stat now, then; enum Kind kind; std::optional<struct stat> is; const class A *a = nullptr; };
        int f() { struct stat st {}; struct sigaction now = {}; return 0; }
     """, [("S", 5, 0, True)]),
    ("fields of functions and arrays", """
        struct S {
            std::uint32_t (*update)(std::uint32_t crc, const std::byte *p) = nullptr;
            Verdict (*judge)(const Context &);
            const Table &(*table)();
            void (Other::*member)(int) const, (*second)();
            int (&array)[4];
            std::function<void(int)> call;
            decltype(f(1)) value;
        };
     """, [("S", 8, 0, True)]),
    ("nested classes count for themselves", """
        class Outer {
        public:
            struct Inner { int a, b; int sum() const { return a + b; } };
            struct { int x = 0; } both_, one_;
            struct Now { int frame = 0; } now_;
            std::vector<Inner> inner_;
            struct Later;
        };
        struct Outer::Later { int a; };
        void f() { class Local { int a_; void g(); }; }
        namespace { struct Hidden { int a; }; }
     """, [("Outer", 4, 0, True), ("Outer::Inner", 2, 1, True), ("Outer::unnamed-5", 1, 0, True),
           ("Outer::Now", 1, 0, True), ("Outer::Later", 1, 0, True), ("Local", 1, 1, False), ("Hidden", 1, 0, True)]),
    ("members of a union without a name", """
        class C { union { int a_; struct { short b_, c_; }; }; union Named { int x; float y; } named_; };
     """, [("C", 4, 0, False), ("C::unnamed-2", 3, 0, True), ("C::unnamed-2::unnamed-2", 2, 0, True),
           ("C::Named", 2, 0, True)]),
    ("constructors and destructors", """
        class C final : public Base<A, B>, private detail::D {
        public:
            C() = default;
            explicit C(int a, std::vector<int> b = {1, 2}) noexcept(false) : Base<A, B>(a), a_{a}, b_(std::move(b)) {}
            template <class U>
                requires std::convertible_to<U, int> && (sizeof(U) > 1) || requires(U u) { u.x(); }
            explicit(sizeof(U) > 4) C(U u) : a_(u) { if (a_ < 1) { a_ = 1; } }
            C(const C &) = delete;
            C &operator=(const C &) = delete;
            C(C &&) noexcept;
            ~C() override;
        private:
            int a_;
            std::vector<int> b_;
        };
        struct D { virtual ~D() = default; };
     """, [("C", 2, 4, False), ("D", 0, 0, True)]),
    ("operators", """
        template <class T> struct S {
            bool operator==(const S &) const = default;
            auto operator<=>(const S &) const = default;
            bool operator<(const S &o) const { return a < o.a; }
            bool operator>=(S) const;
            T &operator[](int i) { return p[i]; }
            int operator()(int) const;
            S *operator->() { return this; }
            explicit operator bool() const { return a != 0; }
            operator std::optional<T>() const;
            S &operator<<(int);
            S operator++(int);
            int a; T *p;
        };
     """, [("S", 2, 9, False)]),
    ("methods", """
        class C {
        public:
            void f(); void f(int) const; void f() const & noexcept;
            static int make(std::pair<int, int> p = {1, 2}, bool b = a < c);
            [[nodiscard]] const std::map<A, B> &get() const { return get_; }
            virtual auto trailing() const -> std::pair<int, int> = 0;
            template <class T, class U = V<T>> decltype(auto) visit(T &&t) requires std::same_as<T, U> { return t(); }
            std::function<void(int)> callback(void (*f)(int), int (&a)[3]);
            void overridden() final;
            constexpr bool small() const noexcept { return sizeof(C) < 8; };
            bool a_, b_ = false;
            unsigned long count() const;
        private:
            std::map<A, B> get_;
        };
     """, [("C", 3, 11, False)]),
    ("Qt", """
        class Window : public QMainWindow {
            Q_OBJECT
            Q_PROPERTY(int x READ x NOTIFY changed)
        public:
            explicit Window(QWidget *parent = nullptr);
            Q_INVOKABLE int x() const;
        public slots:
            void go();
        signals:
            void changed();
            void failed(const QString &sentence);
        protected slots:
            void stop();
        private:
            QLabel *a_, *b_;
            Q_DISABLE_COPY(Window)
        };
     """, [("Window", 2, 6, False)]),
    ("what makes a record: its methods are given, constructors, or short ones that only read", """
        struct Reads {
            explicit Reads(int);
            int a;
            int twice() const { return 2 * a; }
            static Reads of(int v) { return Reads(v); }
        };
        class Public { public: int a; };
        struct Changes { int a; void clear() { a = 0; } };
        struct Returns { int a; const int &get() { return a; } };
        struct Elsewhere { int a; int far() const; };
        struct Virtual { int a; virtual int get() const { return a; } };
        struct Hides { int a; private: int b; };
        struct Ends { int a; ~Ends() {} };
     """, [("Reads", 1, 3, True), ("Public", 1, 0, True), ("Changes", 1, 1, False), ("Returns", 1, 1, False),
           ("Elsewhere", 1, 1, False), ("Virtual", 1, 1, False), ("Hides", 2, 0, False), ("Ends", 1, 1, False)]),
    ("specialisations, and what only looks like a class", """
        template <> struct fmt::formatter<a::B> : fmt::formatter<std::string> { auto format(B, C &c) const -> D; };
        enum class E : std::uint8_t { a, b };
        enum struct F { a };
        template <class T, template <class> class U, class... V> void f(class A *a);
        struct [[nodiscard]] alignas(64) Line { alignas(8) int a; [[maybe_unused]] int b; };
        namespace n = a::b; using namespace n; inline namespace v1 { class In {}; }
     """, [("fmt::formatter<a::B>", 0, 1, False), ("Line", 2, 0, True), ("v1::In", 0, 0, True)]),
)
NOT_UNDERSTOOD = ("struct S { int a; ", "struct S { int f(; };", "struct S { MACRO(x) int a; };", "struct S { int; };")

# Fields and methods of a class C (None: it is not there), its line of the list (None: it has none), and a part of what
# is said (None: nothing).
JUDGED = (
    ((20, 20), None, None),
    ((21, 0), None, "more than 20"),
    ((0, 21), None, "more than 20"),
    ((25, 30), (25, 30), None),
    ((26, 30), (25, 30), "has grown"),
    ((25, 31), (25, 30), "has grown"),
    ((24, 31), (25, 30), "has grown"),
    ((24, 30), (25, 30), "must be lowered to 24 30"),
    ((25, 12), (25, 30), "must be lowered to 25 12"),
    ((20, 20), (25, 30), "no longer too large"),
    (None, (25, 30), "no longer there"),
)
